/** Uses the fonts beside the renderer. */
#ifndef LEAKGRAPH_OWN_FONTS_H
#define LEAKGRAPH_OWN_FONTS_H

/** Lets fontconfig read `leakgraph-render.libs/fonts.conf`, if the renderer has
 *  such a file beside it and FONTCONFIG_FILE names no other. Its folder becomes
 *  the current one: fontconfig resolves `<dir prefix="cwd">` against that. */
void lg__own_fonts_use(void);

#endif
