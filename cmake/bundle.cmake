# Wheels for machines that have nothing but CPython contain what leakgraph
# needs: release/wheels.sh makes the folder with libs, command, fonts and
# licenses.
set(LEAKGRAPH_BUNDLE "" CACHE PATH
  "A folder of libraries, fonts and licences that a wheel brings along")
mark_as_advanced(LEAKGRAPH_BUNDLE)

# leakgraph_bundle_plugin(target): links libraries statically, and only the
# functions that leakgraph calls. Hides all their names.
function(leakgraph_bundle_plugin target)
  if(LEAKGRAPH_BUNDLE)
    target_link_libraries(${target} PRIVATE m)
    target_link_options(${target} PRIVATE
      LINKER:--gc-sections LINKER:--exclude-libs,ALL LINKER:-z,defs)
  endif()
endfunction()

# leakgraph_bundle_renderer(target): links Graphviz's plugins, and takes all
# shared libraries from the folder beside the program. Unlike a RUNPATH, an
# RPATH also serves the libraries' own dependencies, and comes before
# LD_LIBRARY_PATH.
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

# leakgraph_bundle_install(destination): installs the files into the package,
# and the licences into its metadata.
function(leakgraph_bundle_install destination)
  if(LEAKGRAPH_BUNDLE)
    set(beside ${destination}/leakgraph-render.libs)
    install(DIRECTORY ${LEAKGRAPH_BUNDLE}/libs/ DESTINATION ${beside}
      COMPONENT python)
    # The command looks beside the bridge to igraph for what it opens.
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
