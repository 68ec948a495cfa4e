/** What the environment says about the renderer. */
#ifndef LEAKGRAPH_SETTING_H
#define LEAKGRAPH_SETTING_H

/** Returns the number in a variable of the environment, or `usual` if there is
 *  none, if it is above `most`, or if the process has more rights than its
 *  user. */
unsigned lg__render_setting(const char *variable, unsigned usual,
                            unsigned most);

#endif
