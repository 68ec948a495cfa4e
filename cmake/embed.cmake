# Writes the page's script and style sheet, and those of a notebook's cell, as C
# arrays, with the hashes by which the page's policy allows them.
#
#   cmake -D OUT=assets.c -D SCRIPT=a.js:b.js -D STYLE=page.css -D VIEW=view.js
#         -D CELL_SCRIPT=a.js:c.js -D CELL_STYLE=cell.css -P embed.cmake
#
# Colons separate the paths, so that these pass through the build's command
# line.

# Sets `out` to the base64 of a hash in hexadecimal digits, as the policy needs
# it.
function(base64 hex out)
  set(alphabet ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  set(text "")
  string(LENGTH ${hex} length)
  set(at 0)
  # Three hexadecimal digits give two digits of base64.
  while(at LESS length)
    string(SUBSTRING "${hex}00" ${at} 3 digits)
    math(EXPR number "0x${digits}")
    math(EXPR high "${number} / 64")
    math(EXPR low "${number} % 64")
    string(SUBSTRING ${alphabet} ${high} 1 first)
    string(SUBSTRING ${alphabet} ${low} 1 second)
    string(APPEND text ${first}${second})
    math(EXPR at "${at} + 3")
  endwhile()
  # 32 bytes have 64 digits, which give 43 digits of base64 and one filler.
  string(SUBSTRING "${text}" 0 43 text)
  set(${out} "${text}=" PARENT_SCOPE)
endfunction()

# Appends the array `name` of the joined files to the text of the C file.
function(embed name files)
  string(REPLACE ":" ";" files "${files}")
  execute_process(COMMAND ${CMAKE_COMMAND} -E cat ${files}
    OUTPUT_FILE ${OUT}.${name} COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${OUT}.${name} hex HEX)
  string(TOLOWER "${hex}" hex)
  # "</s" could end the element that contains the text.
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\1 " bytes "${hex}")
  if(bytes MATCHES "3c 2f (73|53) ")
    message(FATAL_ERROR "embed: ${files} must not contain \"</s\"")
  endif()
  file(SHA256 ${OUT}.${name} hash)
  base64(${hash} hash)
  string(LENGTH "${hex}" length)
  math(EXPR length "${length} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f]) " "0x\\1," bytes "${bytes}")
  set(code "${code}const unsigned char lg__page_${name}[] = {${bytes}0};
const size_t lg__page_${name}_length = ${length};
const char lg__page_${name}_hash[] = \"sha256-${hash}\";
" PARENT_SCOPE)
  file(REMOVE ${OUT}.${name})
endfunction()

set(code "#include \"page/page_private.h\"\n\n")
embed(script "${SCRIPT}")
embed(style "${STYLE}")
embed(view "${VIEW}")
embed(cell_script "${CELL_SCRIPT}")
embed(cell_style "${CELL_STYLE}")
file(WRITE ${OUT} "${code}")
