# Wheels for machines that have nothing but CPython bring what leakgraph needs:
# tools/wheels.sh makes the folder, with libs, command, fonts and licenses in it.
set(LEAKGRAPH_BUNDLE "" CACHE PATH
  "A folder of libraries, fonts and licences that a wheel brings along")
mark_as_advanced(LEAKGRAPH_BUNDLE)

# leakgraph_bundle_plugin(target): libraries are linked statically, and only what is
# called of them. None of their names shows.
function(leakgraph_bundle_plugin target)
  if(LEAKGRAPH_BUNDLE)
    target_link_libraries(${target} PRIVATE m)
    target_link_options(${target} PRIVATE
      LINKER:--gc-sections LINKER:--exclude-libs,ALL LINKER:-z,defs)
  endif()
endfunction()

# leakgraph_bundle_renderer(target): Graphviz's plugins are linked, and all shared
# libraries are those of the folder beside the program. An RPATH holds for the
# libraries that a library needs, too, and comes before LD_LIBRARY_PATH; a RUNPATH
# does neither.
function(leakgraph_bundle_renderer target)
  if(LEAKGRAPH_BUNDLE)
    foreach(plugin IN ITEMS core dot_layout pango)
      find_library(LEAKGRAPH_GRAPHVIZ_${plugin} gvplugin_${plugin}
        PATHS ${GVC_LIBRARY_DIRS} PATH_SUFFIXES graphviz REQUIRED)
      target_link_libraries(${target} PRIVATE ${LEAKGRAPH_GRAPHVIZ_${plugin}})
    endforeach()
    target_compile_definitions(${target} PRIVATE LEAKGRAPH_BUNDLE)
    target_link_options(${target} PRIVATE LINKER:--disable-new-dtags
      LINKER:-rpath-link,${LEAKGRAPH_BUNDLE}/libs)
    set_target_properties(${target} PROPERTIES
      INSTALL_RPATH "$ORIGIN/leakgraph-render.libs"
      BUILD_WITH_INSTALL_RPATH ON)
  endif()
endfunction()

# leakgraph_bundle_install(destination): into the package, and the licences into its
# metadata.
function(leakgraph_bundle_install destination)
  if(LEAKGRAPH_BUNDLE)
    set(beside ${destination}/leakgraph-render.libs)
    install(DIRECTORY ${LEAKGRAPH_BUNDLE}/libs/ DESTINATION ${beside}
      COMPONENT python)
    # Beside the bridge to igraph, where the command looks for what it opens.
    install(DIRECTORY ${LEAKGRAPH_BUNDLE}/command/ DESTINATION ${destination}
      COMPONENT python)
    install(DIRECTORY ${LEAKGRAPH_BUNDLE}/fonts DESTINATION ${beside}
      COMPONENT python)
    install(FILES ${PROJECT_SOURCE_DIR}/export/render/fonts.conf
      DESTINATION ${beside} COMPONENT python)
    install(DIRECTORY ${LEAKGRAPH_BUNDLE}/licenses
      DESTINATION ${SKBUILD_METADATA_DIR} COMPONENT python)
  endif()
endfunction()
