# leakgraph_warnings(target): the warnings that all our C must pass. They are
# private to the target, so that they do not affect a consumer's build.
function(leakgraph_warnings target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes)
  if(LEAKGRAPH_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(LEAKGRAPH_SANITIZE)
    target_compile_options(${target} PRIVATE
      -fsanitize=address,undefined -fno-sanitize-recover=all
      -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=address,undefined)
  endif()
endfunction()
