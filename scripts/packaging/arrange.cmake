# CPack runs this on the installed files before it packs them. The install rules are the same for all prefixes;
# this file handles the differences between a Debian package and a tarball.
cmake_policy(VERSION 3.25)

# compress(from to): gzip without name and time in the file, as the policy requires. The changelog gets the version of the
# package.
function(compress from to)
    file(READ ${from} text)
    string(REPLACE "(${CPACK_PACKAGE_VERSION})" "(${CPACK_DEBIAN_PACKAGE_VERSION})" text "${text}")
    file(WRITE ${to} "${text}")
    execute_process(COMMAND gzip -9nf ${to} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# libraries_of(folder variable): the Debian packages with which the programs in the folder are linked.
function(libraries_of folder variable)
    set(work ${CPACK_TOPLEVEL_DIRECTORY}/libraries)
    file(WRITE ${work}/debian/control "Source: reelsd\n\nPackage: reelsd\nArchitecture: any\n")
    execute_process(
        COMMAND dpkg-shlibdeps -O ${folder}/bin/reelsd ${folder}/bin/reels ${folder}/libexec/reelsd/reelsd-media
        WORKING_DIRECTORY ${work} OUTPUT_VARIABLE found ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX REPLACE "^.*shlibs:Depends=" "" found "${found}")
    # Removes versions, and all alternatives except the first.
    string(REGEX REPLACE " *([(][^)]*[)]|[|][^,]*)" "" found "${found}")
    string(REGEX REPLACE ", *" " " found "${found}")
    string(STRIP "${found}" found)
    set(${variable} "${found}" PARENT_SCOPE)
endfunction()

if(CPACK_GENERATOR STREQUAL "DEB")
    set(daemon ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/daemon)
    file(RENAME ${daemon}/usr/etc ${daemon}/etc)
    # Newer releases have systemd units below /usr.
    if(CPACK_REELSD_DISTRIBUTION STREQUAL "debian12")
        file(RENAME ${daemon}/usr/lib ${daemon}/lib)
    endif()
    file(CHMOD ${daemon}/etc/reelsd/reelsd.conf ${daemon}/etc/reelsd/reelsd.env
        PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ)
    foreach(component package IN ZIP_LISTS CPACK_COMPONENTS_ALL CPACK_REELSD_PACKAGES)
        set(folder ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}/usr/share)
        compress(${CPACK_REELSD_SOURCE}/debian/changelog ${folder}/doc/${package}/changelog)
        if(EXISTS ${CPACK_REELSD_SOURCE}/debian/${package}.lintian-overrides)
            # Without the permissions of the source, which depend on the umask of its checkout.
            configure_file(${CPACK_REELSD_SOURCE}/debian/${package}.lintian-overrides
                ${folder}/lintian/overrides/${package} COPYONLY NO_SOURCE_PERMISSIONS)
        endif()
    endforeach()
else()
    libraries_of("${CPACK_TEMPORARY_INSTALL_DIRECTORY}" LIBRARIES)
    cmake_host_system_information(RESULT SYSTEM QUERY DISTRIB_PRETTY_NAME)
    set(VERSION ${CPACK_PACKAGE_VERSION})
    set(TARBALL ${CPACK_PACKAGE_FILE_NAME}.tar.gz)
    configure_file(${CPACK_REELSD_SOURCE}/README.tarball ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/README @ONLY
        NO_SOURCE_PERMISSIONS)
    # The README unpacks the tarball in /opt/reelsd. The configuration stays in /etc.
    file(GLOB units ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/lib/systemd/system/*.service)
    foreach(unit IN LISTS units)
        file(READ ${unit} text)
        string(REPLACE "/usr/bin/reelsd" "/opt/reelsd/bin/reelsd" text "${text}")
        file(WRITE ${unit} "${text}")
    endforeach()
endif()
