#!/usr/bin/env python3
"""Checks docker/ without a container engine. Goal: the image and the Compose file match the documents, and their
lists match those of the code."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent.parent
DOCKERFILES = ["docker/Dockerfile", "docker/gateway.Dockerfile"]
INSTRUCTIONS = {"ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "FROM", "HEALTHCHECK", "RUN", "STOPSIGNAL",
                "USER", "VOLUME", "WORKDIR"}


def text_of(path):
    return (ROOT / path).read_text(encoding="utf-8")


def instructions_of(path):
    """The instructions of a Dockerfile: name and rest, with continued lines joined."""
    lines = [line for line in text_of(path).splitlines() if not line.lstrip().startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    return [tuple(line.strip().split(None, 1)) for line in joined.splitlines() if line.strip()]


def the(path, name):
    """The last of the instructions with that name."""
    return [rest for one, rest in instructions_of(path) if one == name][-1]


def packages(stage):
    done = subprocess.run([ROOT / "scripts/packages", stage], capture_output=True, text=True, check=True)
    return done.stdout.split()


class Dockerfiles(unittest.TestCase):
    def test_plain_instructions_that_every_engine_knows(self):
        for path in DOCKERFILES:
            with self.subTest(path):
                self.assertNotRegex(text_of(path), r"(?im)^#\s*(syntax|escape|check)\s*=")
                for name, rest in instructions_of(path):
                    self.assertIn(name, INSTRUCTIONS)
                    self.assertNotIn("<<", rest, "a heredoc")
                    if name in ("RUN", "COPY"):
                        flags = set(re.findall(r"^(?:\s*(--[a-z]+))+", rest))
                        self.assertLessEqual(flags, {"--from"}, "a flag of newer engines alone")

    def test_only_debian_and_listed_packages(self):
        for path in DOCKERFILES:
            with self.subTest(path):
                bases = [rest.split()[0] for name, rest in instructions_of(path) if name == "FROM"]
                self.assertLessEqual(set(bases), {"debian:trixie-slim", "scratch"})
                for named in re.findall(r"apt-get install([^&|;\n]*)", the_runs(path)):
                    self.assertRegex(named, r"^( -q| -y| --no-install-recommends)* \$\(\S*scripts/packages [a-z-]+\)\s*$")
        for stage in ("image-build", "image", "gateway"):
            self.assertTrue(packages(stage))

    def test_no_process_is_root_and_every_service_has_a_health_check(self):
        self.assertRegex(the("docker/Dockerfile", "USER"), r"^[1-9]\d*:[1-9]\d*$")
        self.assertNotIn(the("docker/gateway.Dockerfile", "USER"), ("root", "0"))
        for path in DOCKERFILES:
            with self.subTest(path):
                asked = the(path, "HEALTHCHECK")
                self.assertRegex(asked, r"--timeout=\d+s")
                self.assertIsInstance(json.loads(asked[asked.index("CMD") + 3:]), list)
                self.assertIsInstance(json.loads(the(path, "ENTRYPOINT")), list)

    def test_secrets_are_no_part_of_an_image(self):
        left_out = text_of(".dockerignore").split("\n")
        for name in (".git", "build", "reelsd-data", "docker/secrets"):
            self.assertIn(name, left_out)
        self.assertIn("/docker/secrets/", text_of(".gitignore").split("\n"))


def the_runs(path):
    return "\n".join(rest for name, rest in instructions_of(path) if name == "RUN")


class Ffmpeg(unittest.TestCase):
    """The image's FFmpeg has everything that the media child opens: without one of them, reels would fail only
    there."""

    def lists(self):
        found = {}
        for name, more, values in re.findall(r"^(\w+)(\+?)=,?([\w,]+)$", text_of("docker/build-ffmpeg"), re.MULTILINE):
            found.setdefault(name, set()).update(values.split(","))
            self.assertEqual(bool(more), len(found[name]) > len(set(values.split(","))))
        return found

    def test_formats_and_codecs_match_the_media_child(self):
        child = text_of("src/media/child/container.cpp")
        known = {}
        for name, literals in re.findall(r"constexpr const char\* (known_\w+) =((?:\s*\"[^\"]*\")+);", child):
            known[name] = set("".join(re.findall(r'"([^"]*)"', literals)).split(","))
        lists = self.lists()
        self.assertEqual(lists["decoders"], known["known_codecs"])
        # FFmpeg's name of a demuxer is the first of its names.
        self.assertEqual(known["known_formats"], {"mov", "mp4", "m4a", "3gp", "3g2", "mj2", "matroska", "webm"})
        self.assertEqual(lists["demuxers"], {"mov", "matroska"})

    def test_encoders_match_the_media_child(self):
        code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src/media/child").glob("*.cpp"))
        names = {"AV_CODEC_ID_MJPEG": "mjpeg", "AV_CODEC_ID_AAC": "aac", '"libx264"': "libx264"}
        encoders = re.findall(r"avcodec_find_encoder(?:_by_name)?\((\w+|\"\w+\")\)", code)
        self.assertEqual({names[one] for one in encoders}, self.lists()["encoders"])
        muxers = re.findall(r"avformat_alloc_output_context2\([^;]*?\"(\w+)\"", code)
        self.assertEqual(set(muxers), self.lists()["muxers"])


class Compose(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.file = yaml.safe_load(text_of("docker/compose.yaml"))
        cls.services = cls.file["services"]

    def test_services_have_the_least_privileges(self):
        for name, service in self.services.items():
            with self.subTest(name):
                self.assertIs(service["read_only"], True)
                self.assertEqual(service["cap_drop"], ["ALL"])
                self.assertEqual(service["security_opt"], ["no-new-privileges:true"])
                self.assertNotIn(service.get("user"), ("root", "0", 0))
                self.assertNotIn("privileged", service)
                self.assertEqual(service["restart"], "unless-stopped")
        self.assertEqual(self.services["db"]["user"], "postgres", "its image would start as root")

    def test_services_wait_for_healthy_dependencies(self):
        healthy = {"condition": "service_healthy"}
        self.assertEqual(self.services["reelsd"]["depends_on"], {"db": healthy})
        self.assertEqual(self.services["gateway"]["depends_on"], {"reelsd": healthy})
        self.assertIn("healthcheck", self.services["db"])

    def test_any_number_of_daemons(self):
        daemon = self.services["reelsd"]
        for bound in ("ports", "container_name", "hostname"):
            self.assertNotIn(bound, daemon, "there is one of it on a machine")
        self.assertEqual(len(self.services["gateway"]["ports"]), 1)
        self.assertIn("127.0.0.1:8080", self.services["gateway"]["ports"][0], "local clients only, by default")

    def test_the_stop_grace_period_is_sufficient(self):
        grace = int(re.search(r"shutdown_grace = (\d+)s", text_of("include/reelsd/base/bounds.hpp")).group(1))
        self.assertGreater(int(self.services["reelsd"]["stop_grace_period"].removesuffix("s")), grace + 2)

    def test_secrets_are_files_created_by_one_command(self):
        made = set(re.findall(r"^make_file ([a-z-]+) ", text_of("docker/make-secrets"), re.MULTILINE))
        self.assertEqual(set(self.file["secrets"]), made)
        for name, secret in self.file["secrets"].items():
            self.assertEqual(secret, {"file": "${REELSD_SECRETS:-./secrets.sample}/" + name})
            # Secrets of a start before make-secrets: no keys.
            sample = text_of(f"docker/secrets.sample/{name}")
            self.assertEqual(sample, "reelsd\n" if name == "postgres-password" else "")
        for service in self.services.values():
            for name, value in service.get("environment", {}).items():
                if name.endswith("_FILE"):
                    self.assertIn(value.removeprefix("/run/secrets/"), service["secrets"])
                self.assertNotRegex(name, r"(PASSWORD|_KEY|_TOKEN)$", "a secret in the environment")

    def test_old_versions_of_compose_are_supported(self):
        # 1.29, of Debian 12, accepts no other keys at the top; the project's name is in .env instead.
        self.assertLessEqual(set(self.file), {"services", "secrets", "networks", "volumes"})
        self.assertRegex(text_of("docker/.env"), r"(?m)^COMPOSE_PROJECT_NAME=reelsd$")

    def test_named_items_exist(self):
        for kind in ("networks", "volumes"):
            named = {one.split(":")[0] for service in self.services.values() for one in service.get(kind, [])}
            self.assertEqual(named, set(self.file[kind]))
        for service in self.services.values():
            if "build" in service:
                self.assertTrue((ROOT / "docker" / service["build"]["context"] / service["build"]["dockerfile"]).is_file())
        known = re.findall(r"^    \{\"([a-z-]+)\",", text_of("src/app/setting_table.cpp"), re.MULTILINE)
        for name in self.services["reelsd"]["environment"]:
            setting = name.removesuffix("_FILE").removeprefix("REELSD_").lower().replace("_", "-")
            self.assertIn(setting, known)


class Profiles(unittest.TestCase):
    """The daemon uses the services of the profiles that run."""

    @classmethod
    def setUpClass(cls):
        cls.services = yaml.safe_load(text_of("docker/compose.yaml"))["services"]

    def environment_with(self, running, **given):
        """What the daemon gets while these services run: the entrypoint, as Compose passes it, with stubs of the programs
        that it calls."""
        words = self.services["reelsd"]["entrypoint"] + self.services["reelsd"]["command"]
        # Compose replaces its own variables, and "$$".
        words = [re.sub(r"(?<!\$)\$\{\w+:-([^}]*)\}", r"\1", word).replace("$$", "$") for word in words]
        with tempfile.TemporaryDirectory() as folder:
            stubs = {"getent": f'case " {" ".join(running)} " in *" $2 "*) echo 10.0.0.2 $2 ;; *) exit 2 ;; esac',
                     "reelsd": 'echo "ARGUMENTS=$*"; env'}
            for name, text in stubs.items():
                Path(folder, name).write_text("#!/bin/sh\n" + text + "\n")
                Path(folder, name).chmod(0o755)
            done = subprocess.run(words, capture_output=True, text=True, timeout=30, check=True,
                                  env={"PATH": folder + ":/usr/bin:/bin", **given})
        found = dict(line.split("=", 1) for line in done.stdout.splitlines())
        self.assertEqual(found["ARGUMENTS"], "serve")
        return {name: value for name, value in found.items() if name.startswith("REELSD_") and value}

    def test_without_them_nothing_changes(self):
        self.assertEqual(self.environment_with([]), {})
        self.assertEqual(self.environment_with([], REELSD_OPENAI_URL="https://x"), {"REELSD_OPENAI_URL": "https://x"})

    def test_each_is_used_while_it_runs(self):
        whisper = {"REELSD_TRANSCRIBER": "openai", "REELSD_TRANSCRIBER_URL": "http://whisper:8000",
                   "REELSD_TRANSCRIBER_MODEL": "Systran/faster-whisper-small",
                   "REELSD_MODEL_PRICES": "Systran/faster-whisper-small=0/min"}
        vision = {"REELSD_ANALYZER": "openai,local", "REELSD_OPENAI_URL": "http://vision:11434",
                  "REELSD_OPENAI_MODEL": "qwen3-vl:2b", "REELSD_OPENAI_MODE": "frames",
                  "REELSD_MODEL_ANSWER_SECONDS_MAX": "600", "REELSD_MODEL_PRICES": "qwen3-vl:2b=0/0"}
        self.assertEqual(self.environment_with(["whisper"]), whisper)
        self.assertEqual(self.environment_with(["vision"]), vision)
        both = self.environment_with(["whisper", "vision"], REELSD_MODEL_PRICES="mine=1/2", REELSD_ANALYZER="local")
        prices = vision["REELSD_MODEL_PRICES"] + "," + whisper["REELSD_MODEL_PRICES"] + ",mine=1/2"
        self.assertEqual(both, {**whisper, **vision, "REELSD_ANALYZER": "local", "REELSD_MODEL_PRICES": prices})

    def test_its_variables_are_settings(self):
        known = re.findall(r"^    \{\"([a-z-]+)\",", text_of("src/app/setting_table.cpp"), re.MULTILINE)
        for name in self.environment_with(["whisper", "vision"]):
            self.assertIn(name.removeprefix("REELSD_").lower().replace("_", "-"), known)

    def test_only_the_profile_starts_them(self):
        for name, service in self.services.items():
            self.assertEqual(service.get("profiles", []), [name] if name in ("whisper", "vision") else [])
        for name in ("whisper", "vision"):
            self.assertNotIn("ports", self.services[name], "no other machine may use it")
            self.assertEqual(self.services[name]["networks"], ["outside"], "they download their models")
            self.assertIn("healthcheck", self.services[name])
            # One model, for the server and for the daemon.
            model = self.services[name]["environment"]["MODEL"]
            self.assertIn(model, self.services["reelsd"]["entrypoint"][2])


class Gateway(unittest.TestCase):
    def test_haproxy_accepts_its_file(self):
        program = shutil.which("haproxy", path=os.environ["PATH"] + ":/usr/sbin")
        done = subprocess.run(
            [program, "-c", "-f", ROOT / "docker/gateway.cfg"], capture_output=True, text=True, timeout=30)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_gateway_hides_metrics_as_in_the_documented_example(self):
        def rules(path):
            return {line.strip() for line in text_of(path).splitlines() if "/metrics" in line or "bufsize" in line}
        self.assertEqual(rules("docker/gateway.cfg"), rules("docs/operate/examples/haproxy.cfg"))

    def test_the_client_address_is_set_and_not_trusted(self):
        self.assertRegex(text_of("docker/gateway.cfg"), r"(?m)^ *http-request set-header X-Forwarded-For %\[src\]$")
        self.assertIn('REELSD_FORWARDED_FOR: "true"', text_of("docker/compose.yaml"))


if __name__ == "__main__":
    sys.exit(unittest.main())
