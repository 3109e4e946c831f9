# Installs npm packages.
#
#   npm_packages(FOLDER folder-with-package.json INTO build-folder FILES file...)
#
# installs at build time exactly the packages of FOLDER's lock file into INTO/node_modules. FILES are paths below
# node_modules on which other targets depend. Scripts of packages never run.
#
# The build step runs this file as well: cmake -D... -P npm_packages.cmake.
if(NOT CMAKE_SCRIPT_MODE_FILE)
    set(npm_packages_script ${CMAKE_CURRENT_LIST_FILE})
    find_program(NPM_PROGRAM npm)

    function(npm_packages)
        cmake_parse_arguments(PARSE_ARGV 0 arg "" "FOLDER;INTO" "FILES")
        if(NOT NPM_PROGRAM)
            message(FATAL_ERROR "npm is missing; scripts/install build test installs it")
        endif()
        list(TRANSFORM arg_FILES PREPEND ${arg_INTO}/node_modules/)
        set(lists ${arg_FOLDER}/package.json ${arg_FOLDER}/package-lock.json ${arg_FOLDER}/.npmrc)
        add_custom_command(OUTPUT ${arg_FILES}
            COMMAND ${CMAKE_COMMAND} -DNPM=${NPM_PROGRAM} -DFOLDER=${arg_FOLDER} -DINTO=${arg_INTO}
                -P ${npm_packages_script}
            DEPENDS ${lists} ${npm_packages_script}
            COMMENT "Fetching the npm packages of ${arg_FOLDER}"
            VERBATIM)
    endfunction()
    return()
endif()

file(MAKE_DIRECTORY ${INTO})
file(COPY ${FOLDER}/package.json ${FOLDER}/package-lock.json ${FOLDER}/.npmrc DESTINATION ${INTO})
# Packages that were fetched before come from npm's cache, even in other build folders. Without a network,
# npm's default retries would delay the message below by more than a minute.
execute_process(COMMAND ${NPM} ci --prefer-offline --fetch-retry-maxtimeout=10000
    WORKING_DIRECTORY ${INTO} RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(NOT code EQUAL 0)
    message(NOTICE "${said}")
    message(FATAL_ERROR "The npm packages of ${FOLDER} could not be fetched: npm ci ended with ${code}, "
        "see above. The first build needs the package registry that npm is configured for; later ones "
        "find the packages in npm's cache.")
endif()
# npm preserves the dates of the packages, which are older than the lock file.
file(GLOB_RECURSE fetched ${INTO}/node_modules/*)
file(TOUCH ${fetched})
