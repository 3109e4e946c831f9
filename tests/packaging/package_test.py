"""Checks the Debian packages of this build. Goal: their control files, scripts and contents are correct for apt
and dpkg.

Method: CPack packs the tested build; the packages are read and not installed. Their scripts run on a folder that
simulates the machine, with recording stand-ins for programs that change owners, users and services.
"""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = os.environ["REELSD_BUILD_DIR"]
PACK_SECONDS_MAX = 240
# They record their calls and succeed, or behave as defined.
STAND_INS = {
    **{name: "" for name in ("adduser", "chgrp", "chmod", "chown", "deb-systemd-helper", "deb-systemd-invoke", "getent",
                             "groupdel", "install", "userdel")},
    "dpkg-statoverride": 'test "$2" = "$OVERRIDDEN"',
    "stat": 'echo "$FOLDER_OWNER"',
    "systemctl": 'case "$*" in *is-enabled*) exit "$TIMER_IS_OFF" ;; esac',
    # The package's user does not exist: files that the script looks for belong to the user who runs the tests.
    "find": """for word do
        shift
        case $last in -user) word=$(id -u) ;; -group) word=$(id -g) ;; esac
        last=$word
        set -- "$@" "$word"
    done
    exec /usr/bin/find "$@"
    """}


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout


def setUpModule():
    global folder, daemon, client
    folder = tempfile.mkdtemp(prefix="reelsd-test-")
    # Sanitized programs are ten times the size of released ones.
    subprocess.run(
        ["cpack", "--config", os.path.join(BUILD, "CPackConfig.cmake"), "-G", "DEB", "-B", folder,
         "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip",
         "-D", f"CPACK_INSTALL_CMAKE_PROJECTS={BUILD};reelsd;ALL;/"],
        check=True, stdout=subprocess.DEVNULL, timeout=PACK_SECONDS_MAX)
    daemon, = pathlib.Path(folder).glob("reelsd_*.deb")
    client, = pathlib.Path(folder).glob("reels_*.deb")


def tearDownModule():
    shutil.rmtree(folder)


def field(package, name):
    return output_of("dpkg-deb", "--field", package, name).strip()


def dependencies(package, name):
    return {one.split()[0] for one in field(package, name).split(", ")}


def units_folder():
    system = dict(line.rstrip().split("=", 1) for line in open("/etc/os-release", encoding="utf-8") if "=" in line)
    is_debian_12 = (system["ID"], system["VERSION_ID"].strip('"')) == ("debian", "12")
    return "lib/systemd/system" if is_debian_12 else "usr/lib/systemd/system"


def contents(package):
    """Path to mode and owner."""
    lines = [line.split(None, 5) for line in output_of("dpkg-deb", "--contents", package).splitlines()]
    return {words[5]: (words[0], words[1]) for words in lines}


class Control(unittest.TestCase):
    def test_the_daemon_package_has_its_dependencies(self):
        self.assertLessEqual(
            {"adduser", "ca-certificates", "libpq5", "libseccomp2"}, dependencies(daemon, "Depends"))
        self.assertIn("postgresql", dependencies(daemon, "Recommends"))

    def test_the_client_package_has_no_extra_dependencies(self):
        self.assertFalse({"libpq5", "libseccomp2", "adduser"} & dependencies(client, "Depends"))

    def test_both_have_the_version_of_the_program(self):
        version = output_of(os.path.join(os.environ["REELSD_BIN_DIR"], "reelsd"), "--version").split()[1]
        for package in (daemon, client):
            self.assertRegex(field(package, "Version"), rf"^{re.escape(version)}\+(deb|ubuntu)\d[\d.]*$")
        newest = (ROOT / "scripts/packaging/debian/changelog").read_text(encoding="utf-8").splitlines()[0]
        self.assertTrue(newest.startswith(f"reelsd ({version}) "), newest)

    def test_configuration_files_are_conffiles(self):
        listed = output_of("dpkg-deb", "--info", daemon, "conffiles").split()
        self.assertEqual(sorted(listed), sorted(name[1:] for name in contents(daemon)
                                if name.startswith("./etc/") and not name.endswith("/")))

    def test_maintainer_scripts_are_valid_shell(self):
        for script in ("postinst", "prerm", "postrm"):
            with self.subTest(script):
                text = output_of("dpkg-deb", "--info", daemon, script)
                self.assertTrue(text.startswith("#!/bin/sh\nset -e\n") or "\nset -e\n" in text)
                subprocess.run(["sh", "-n"], input=text, text=True, check=True, timeout=60)


class Scripts(unittest.TestCase):
    def setUp(self):
        self.machine = pathlib.Path(tempfile.mkdtemp(prefix="reelsd-test-"))
        self.addCleanup(shutil.rmtree, self.machine)
        self.programs = self.machine / "programs"
        self.notes = self.machine / "notes"
        for folder in ("programs", "run/systemd/system", "etc/reelsd", "var/backups/reelsd", "var/lib/reelsd",
                       "var/log/reelsd"):
            (self.machine / folder).mkdir(parents=True)
        for name, body in STAND_INS.items():
            program = self.programs / name
            program.write_text(f'#!/bin/sh\necho "{name} $*" >>{self.notes}\n{body}\n', encoding="utf-8")
            program.chmod(0o755)

    def file(self, name):
        path = self.machine / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("kept", encoding="utf-8")
        return path

    def run_script(self, script, *arguments, **answers):
        """The recorded calls, with paths without the simulating folder, and the output."""
        text = output_of("dpkg-deb", "--info", daemon, script)
        text = re.sub(r"/(var|etc|run)/", rf"{self.machine}/\1/", text)
        usual = {"FOLDER_OWNER": "reelsd", "OVERRIDDEN": "", "TIMER_IS_OFF": "1"}
        environment = {**os.environ, **usual, **answers, "PATH": f"{self.programs}:{os.environ['PATH']}"}
        done = subprocess.run(["sh", "-s", "--", *arguments], input=text, text=True, capture_output=True,
                              env=environment, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.notes.read_text(encoding="utf-8").replace(str(self.machine), "").splitlines(), done.stderr

    def given(self, calls):
        return [call for call in calls if call.startswith(("chown ", "chgrp ", "chmod "))]

    def test_an_installation_takes_ownership_of_kept_backups(self):
        self.file("var/backups/reelsd/reelsd-20260101T000000Z.backup")
        notes = self.file("var/backups/reelsd/notes")
        (notes.parent / "linked.backup").hardlink_to(notes)

        calls, _ = self.run_script("postinst", "configure", "", FOLDER_OWNER="root")

        self.assertEqual(self.given(calls), [
            "chown reelsd:reelsd /var/backups/reelsd/reelsd-20260101T000000Z.backup",
            "chown reelsd:reelsd /var/backups/reelsd", "chmod 0700 /var/backups/reelsd"])

    def test_a_deliberate_owner_of_backups_is_kept(self):
        self.file("var/backups/reelsd/reelsd-20260101T000000Z.backup")

        settled = {"by the service": {"FOLDER_OWNER": "reelsd"},
                   "by the administrator": {"FOLDER_OWNER": "root",
                                            "OVERRIDDEN": str(self.machine / "var/backups/reelsd")}}
        for how, answers in settled.items():
            with self.subTest(how):
                calls, _ = self.run_script("postinst", "configure", "0.1.0", **answers)
                self.assertEqual(self.given(calls), [])

    def test_an_installation_starts_an_enabled_timer(self):
        started = "deb-systemd-invoke start reelsd-backup.timer"

        calls, _ = self.run_script("postinst", "configure", "")
        self.assertIn("deb-systemd-invoke start reelsd.service", calls)
        self.assertNotIn(started, calls)
        calls, _ = self.run_script("postinst", "configure", "", TIMER_IS_OFF="0")
        self.assertIn(started, calls)

    def test_an_upgrade_starts_nothing(self):
        calls, _ = self.run_script("postinst", "configure", "0.1.0", TIMER_IS_OFF="0")

        self.assertEqual([call for call in calls if call.startswith("deb-systemd-invoke ")],
                         ["deb-systemd-invoke try-restart reelsd.service",
                          "deb-systemd-invoke try-restart reelsd-backup.timer"])

    def test_a_purge_keeps_keys_and_backups_for_root_alone(self):
        key = self.file("etc/reelsd/tls/privkey.pem")
        backup = self.file("var/backups/reelsd/today.backup")

        calls, messages = self.run_script("postrm", "purge")

        self.assertTrue(key.exists() and backup.exists())
        self.assertEqual(self.given(calls)[0],
                         "chown -h root:root /var/backups/reelsd /var/backups/reelsd/today.backup")
        keys = "/etc/reelsd /etc/reelsd/tls /etc/reelsd/tls/privkey.pem"
        self.assertLess(calls.index(f"chown -h root {keys}"), calls.index("userdel reelsd"))
        # userdel removes the group, too.
        self.assertLess(calls.index(f"chgrp -h root {keys}"), calls.index("userdel reelsd"))
        self.assertIn("/etc/reelsd is not the package's and is kept", messages)
        self.assertIn("/var/backups/reelsd are kept", messages)

    def test_a_purge_removes_empty_folders(self):
        calls, messages = self.run_script("postrm", "purge")

        self.assertEqual((self.given(calls), messages), ([], ""))
        left = [path.name for name in ("etc", "var/backups", "var/lib", "var/log")
                for path in (self.machine / name).glob("reelsd*")]
        self.assertEqual(left, [])


class Contents(unittest.TestCase):
    def test_no_key_is_world_readable(self):
        files = contents(daemon)
        for name in ("./etc/reelsd/reelsd.conf", "./etc/reelsd/reelsd.env"):
            self.assertEqual(files[name], ("-rw-r-----", "root/root"))

    def test_files_are_installed_at_debians_paths(self):
        self.assertLessEqual(
            {"./usr/bin/reelsd", "./usr/libexec/reelsd/reelsd-media", "./usr/share/reelsd/wordnet.bin",
             "./usr/libexec/reelsd/libonnxruntime.so.1",
             "./usr/share/reelsd/text-models/ch_PP-OCRv4_rec_infer.onnx",
             "./usr/share/reelsd/speech-models/decoder.onnx",
             "./usr/share/doc/reelsd/third-party/onnxruntime.txt",
             "./usr/share/doc/reelsd/third-party/speech-models.txt",
             "./usr/share/doc/reelsd/third-party/text-models.txt",
             f"./{units_folder()}/reelsd.service", "./usr/share/man/man8/reelsd.8.gz",
             "./usr/share/doc/reelsd/copyright", "./usr/share/doc/reelsd/NOTICE",
             "./usr/share/doc/reelsd/changelog.gz"}, set(contents(daemon)))
        self.assertLessEqual(
            {"./usr/bin/reels", "./usr/share/man/man1/reels.1.gz", "./usr/share/doc/reels/changelog.gz",
             "./usr/share/bash-completion/completions/reels"}, set(contents(client)))

    def test_the_packages_share_no_file(self):
        both = {name for name in set(contents(daemon)) & set(contents(client)) if not name.endswith("/")}
        self.assertEqual(both, set())

    def test_all_files_belong_to_root_and_only_root_may_write(self):
        for package in (daemon, client):
            for name, (mode, owner) in contents(package).items():
                self.assertEqual((owner, mode[5], mode[8]), ("root/root", "-", "-"), name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
