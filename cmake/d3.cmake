# Finds the parts of d3 that the report page contains, as packaged by Debian and
# Ubuntu. Sets LEAKGRAPH_D3 to their scripts, each after those that it needs.
set(LEAKGRAPH_D3_FOLDER "" CACHE PATH
  "A folder with d3-hierarchy/dist/d3-hierarchy.min.js and so on")
set(LEAKGRAPH_D3)
foreach(part IN ITEMS array collection color format interpolate time
                      time-format hierarchy selection scale)
  find_file(LEAKGRAPH_D3_${part} d3-${part}/dist/d3-${part}.min.js
    PATHS ${LEAKGRAPH_D3_FOLDER} /usr/share/nodejs /usr/lib/nodejs
    NO_DEFAULT_PATH)
  mark_as_advanced(LEAKGRAPH_D3_${part})
  if(LEAKGRAPH_D3_${part})
    list(APPEND LEAKGRAPH_D3 ${LEAKGRAPH_D3_${part}})
  else()
    set(LEAKGRAPH_D3_MISSING d3-${part})
  endif()
endforeach()
if(LEAKGRAPH_D3_MISSING)
  set(LEAKGRAPH_D3)
  message(WARNING "${LEAKGRAPH_D3_MISSING} was not found: pages of `leakgraph "
    "report` will have tables and pictures, but no areas (on Debian: apt "
    "install node-d3-hierarchy node-d3-selection node-d3-scale, or set "
    "LEAKGRAPH_D3_FOLDER)")
endif()
