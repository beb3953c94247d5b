"""Libraries, and the pages that smilepile makes of them."""

import hashlib, json, os, pathlib, random, re, shutil, sqlite3, subprocess, sys, tempfile, time, zipfile

from .scenes import SCENES, Scene, night

DAY = 86_400
# The text that a page shows instead of a character that could change the page or the text behind it.
REPLACEMENT = "\ufffd"
HOSTILE_NAMES = [
    '"><script>alert(1)</script>',
    "' onerror='alert(2)",
    "</style><script>alert(3)</script>",
    "</title><h1>x",
    "javascript:alert(4)",
    "left\u202eright",
    "\u2066isolated\u2069",
    "nul\0 and \x1b[31m",
    "long " + "name " * 2048,
    "unbroken" + "x" * 10_240,
    "#?%2e%2e/../..%2f",
    "<!--",
    "]]>",
    "&lt;b&gt; &amp; &quot;",
    "🎂👨‍👩‍👧",
    "ילדים בים",
    "أطفال على الشاطئ",
    "${alert(5)}",
    "{{7*7}}",
    "\\\"'`",
    "tab\tand\nline",
    "noncharacters \ufdd0\uffff\U0010ffff",
    "\u2028separator",
    "  blanks  ",
    "https://example.org/x.png",
]


def shown(name):
    """Returns what a page shows of a name: see HTMLDocument."""

    def replaced(character):
        code = ord(character)
        isControl = code < 32 and character not in "\n\t" or 0x7F <= code < 0xA0
        isDirection = 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069
        isNoncharacter = 0xFDD0 <= code <= 0xFDEF or code & 0xFFFE == 0xFFFE
        return REPLACEMENT if isControl or isDirection or isNoncharacter else character

    return "".join(map(replaced, name))


class Samples:
    def __init__(self, smilepile, work):
        self.smilepile, self.work = smilepile, work
        self.environment = os.environ | {"HOME": str(work), "XDG_STATE_HOME": str(work / "state"), "LC_ALL": "C.UTF-8"}
        # the library is in memory, if it can be: copies on the device of the library are not safe
        self.memory = tempfile.TemporaryDirectory(
            prefix="smilepile-browsers.", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else work
        )

    def close(self):
        self.memory.cleanup()

    def run(self, *words, accept=(0,)):
        result = subprocess.run(
            [self.smilepile, *map(str, words)],
            cwd=self.work,
            env=self.environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        if result.returncode not in accept:
            sys.exit(
                f"FAILED ({result.returncode}): smilepile {' '.join(map(str, words))}\n{result.stderr}{result.stdout}"
            )
        return result.stdout

    def drawn(self, folder, scenes):
        """Writes drawings as photos: pairs of a path and a drawing, with all files in one run of libvips."""
        drawings = folder / "drawings"
        drawings.mkdir(parents=True)
        for number, (_, scene) in enumerate(scenes):
            (drawings / f"{number}.svg").write_text(scene.svg())
        subprocess.run(
            [
                "vipsthumbnail",
                "--size",
                "640",
                "-o",
                "%s.jpg[Q=85]",
                *[f"{number}.svg" for number in range(len(scenes))],
            ],
            cwd=drawings,
            check=True,
        )
        for number, (path, _) in enumerate(scenes):
            path.parent.mkdir(parents=True, exist_ok=True)
            (drawings / f"{number}.jpg").rename(path)
        shutil.rmtree(drawings)

    def family(self):
        """Makes a library with six categories of drawings, taken in one year, and returns its path."""
        library, source, dice = pathlib.Path(self.memory.name) / "Family", self.work / "drawn", random.Random("family")
        files = [
            (source / category / f"{name}.jpg", draw) for category, (draw, names) in SCENES.items() for name in names
        ]
        scenes = []
        for path, draw in files:
            scene = Scene(dice)
            draw(scene)
            scenes.append((path, scene))
        self.drawn(source, scenes)
        for number, (path, _) in enumerate(files):
            taken = 1_782_000_000 - (len(files) - number) * 9 * DAY
            os.utime(path, (taken, taken))
        self.run("init", "-q", library)
        self.run("add", "-q", "-l", library, source)
        return library

    def gallery(self, library, name, *options):
        """Exports a library with a gallery, and returns the unpacked folder."""
        archive, folder = self.work / f"{name}.zip", self.work / name
        # an archive without the thumbnail of a photo that cannot be drawn is complete
        self.run("export", "-q", "-l", library, "-o", archive, "--gallery", *options)
        with zipfile.ZipFile(archive) as file:
            file.extractall(folder)
        archive.unlink()
        return folder

    def review(self, library):
        """Adds smaller copies of three photos to a copy of a library, and returns the page that shows them side by side."""
        similar, copies = self.work / "Similar", self.work / "copies"
        shutil.copytree(library, similar)
        copies.mkdir()
        for photo in sorted((similar / "photos").rglob("*.jpg"))[:3]:
            subprocess.run(["vipsthumbnail", "-s", "320", "-o", copies / f"{photo.stem}-sent.jpg", photo], check=True)
        self.run("add", "-q", "-l", similar, copies, "--category", "Sent")
        page = self.work / "review.html"
        self.run("duplicates", "-q", "-l", similar, "--html", page)
        return page

    def years(self):
        """Makes a library with one category of two pages, taken in twelve years, and returns its path. Its newest photos are
        a HEIC file and a TIFF file, which browsers do not show."""
        library, source = pathlib.Path(self.memory.name) / "Years", self.work / "years"
        category = source / "Twelve years"
        drawings = self.drawings(category, 4)
        for name in "heic", "tif":
            subprocess.run(["vips", "copy", "0.jpg", f"a.{name}"], cwd=category, check=True, stderr=subprocess.DEVNULL)
        files = [category / "a.heic", category / "a.tif"]
        for number in range(510):
            files.append(category / f"IMG_{number:05}.jpg")
            files[-1].write_bytes(drawings[number % 4] + number.to_bytes(4, "big"))
        for number in range(4):
            (category / f"{number}.jpg").unlink()
        for number, path in enumerate(files):
            # the last page has two years
            taken = 1_782_000_000 - (number * 8 * DAY if number < 500 else (4000 + 60 * (number - 500)) * DAY)
            os.utime(path, (taken, taken))
        self.run("init", "-q", library)
        self.run("add", "-q", "-l", library, source)
        return library

    # MARK: Status page

    def status(self, library, nights=5 * 365):
        """Runs a job and its restore test, inserts a history of nights, and returns the path of the status page."""
        for name in "disk", "office":
            (self.work / name).mkdir()
        jobs = self.work / "jobs.yaml"
        jobs.write_text(f"jobs:\n  nights: {{library: {library}, destinations: [disk, office]}}\n")
        self.night(jobs)
        self.insert_nights(nights)
        self.night(jobs)
        page = self.work / "status.html"
        start = time.monotonic()
        self.run("report", "-l", library, "-o", page)
        self.seconds_of_report = time.monotonic() - start
        return page

    def night(self, jobs):
        for command in "backup", "drill":
            self.run(command, "-q", "--config", jobs)

    def insert_nights(self, nights):
        """Copies the runs of the job, as if it had run in each night: most did nothing, some failed."""
        dice = random.Random("nights")
        with sqlite3.connect(self.work / "state" / "smilepile" / "ledger.sqlite") as ledger:
            ledger.row_factory = sqlite3.Row
            rows = {row["kind"]: dict(row) for row in ledger.execute("SELECT * FROM run WHERE job = 'nights'")}
            (begun,) = ledger.execute("SELECT number FROM position").fetchone()
            (number,) = ledger.execute("SELECT MAX(number) FROM run").fetchone()
            now = int(time.time() * 1000)
            for age in range(nights, 0, -1):
                kinds = ["backup", "restoreTest"] if age % 30 == 0 else ["backup"]
                for kind in kinds:
                    row, begun, number = dict(rows[kind]), begun + 2, number + 1
                    at = now - age * DAY * 1000
                    row.update(begun=begun - 1, ended=begun, number=number, startedAt=at, endedAt=at + 60_000)
                    (self.age_backup if kind == "backup" else self.age_test)(row, age, nights, dice)
                    names = ", ".join(row)
                    ledger.execute(
                        f"INSERT INTO run ({names}) VALUES ({', '.join('?' * len(row))})", list(row.values())
                    )
            ledger.execute("UPDATE position SET number = ?", (begun,))
        ledger.close()

    @staticmethod
    def age_backup(row, age, nights, dice):
        row["outcome"] = dice.choices(["unchanged", "done", "incomplete", "failed"], [70, 22, 5, 3])[0]
        record = json.loads(row["record"])
        run = record["run"]
        part = 1 - 0.9 * age / nights
        run.update(photos=int(run["photos"] * part), bytes=int(run["bytes"] * part), outcome=row["outcome"])
        if row["outcome"] == "incomplete":
            run["message"] = "photo 4711 “IMG_2041” is corrupt in the library"
        if row["outcome"] == "failed":
            run["message"] = "/mnt/usb/backups: the folder is missing; connect the disk"
        for place, destination in enumerate(run["destinations"]):
            destination["freeBytes"] = (90 + place * 400 + age // 2) * 10**9
        row["record"] = json.dumps(record).encode()

    @staticmethod
    def age_test(row, age, nights, dice):
        record = json.loads(row["record"])
        record["test"].update(at=row["startedAt"], hasPassed=dice.random() > 0.1)
        row["record"] = json.dumps(record).encode()

    # MARK: Hostile names

    def hostile(self):
        """Imports a backup of an attacker. Returns the library, and its categories with the names of their photos."""
        library, archive = self.work / "Hostile", self.work / "attack.zip"
        folder = self.work / "attack"
        scenes = []
        for number in range(len(HOSTILE_NAMES)):
            scene = Scene(random.Random(number))
            night(scene)
            scenes.append((folder / f"{number}.jpg", scene))
        self.drawn(folder, scenes)
        # browsers show no HEIC
        subprocess.run(["vips", "copy", "1.jpg", "1.heic"], cwd=folder, check=True, stderr=subprocess.DEVNULL)
        (folder / "1.heic").rename(folder / "1.jpg")
        categories, photos, manifest = [], [], []
        with zipfile.ZipFile(archive, "w") as file:
            for number, name in enumerate(HOSTILE_NAMES):
                data = (folder / f"{number}.jpg").read_bytes() if number % 8 else b"no image\n"
                # an import refuses control characters, slashes and more than 255 bytes in the name of a file
                extension = "heic" if number == 1 else "jpg"
                stem = f"{number}_" + re.sub(r"[\0-\x1f/\\]|\.\.", "_", name)[:40]
                file.writestr(f"photos/{stem}.{extension}", data)
                categories.append(
                    {
                        "id": number + 1,
                        "name": f"category{number}",
                        "displayName": name,
                        "position": number,
                        "createdAt": 1_759_500_000_000,
                    }
                )
                photos.append(
                    {
                        "id": number + 1,
                        "path": f"photos/{stem}.{extension}",
                        "categoryId": number + 1,
                        "name": name,
                        "createdAt": 1_759_500_000_000 + number,
                        "fileSize": len(data),
                        "width": 640,
                        "height": 480,
                    }
                )
                manifest.append(
                    {
                        "photoId": number + 1,
                        "originalPath": f"photos/{stem}.{extension}",
                        "fileName": f"{stem}.{extension}",
                        "zipEntryName": f"photos/{stem}.{extension}",
                        "fileSize": len(data),
                        "checksum": hashlib.md5(data).hexdigest(),
                    }
                )
            file.writestr(
                "metadata.json",
                json.dumps(
                    {
                        "version": 2,
                        "format": "ZIP",
                        "exportDate": 1_759_500_000_000,
                        "appVersion": "25.10.03.001",
                        "categories": categories,
                        "photos": photos,
                        "settings": {
                            "isDarkMode": False,
                            "securitySettings": {
                                "hasPIN": False,
                                "hasPattern": False,
                                "kidSafeModeEnabled": False,
                                "deleteProtectionEnabled": False,
                            },
                        },
                        "photoManifest": manifest,
                    }
                ),
            )
        self.run("init", "-q", library)
        self.run("import", "-q", "-l", library, archive)
        return library, self.names(library)

    def names(self, library):
        """Returns the categories of a library with the names of their photos. An import removes NUL from names."""
        rows = [json.loads(line) for line in self.run("photos", "-l", library, "--json").splitlines()]
        names = [row["display_name"] for row in rows if row["message_type"] == "category"]
        if names != [name.replace("\0", "") for name in HOSTILE_NAMES]:
            sys.exit(f"FAILED: the library has other names: {names}")
        photos = {row["category"]: row["name"] for row in rows if row["message_type"] == "photo"}
        return [(row["display_name"], [photos[row["name"]]]) for row in rows if row["message_type"] == "category"]

    def drawings(self, folder, count):
        """Writes drawings with numbers as names, and returns their bytes."""
        scenes = [Scene(random.Random(number)) for number in range(count)]
        draws = [draw for draw, _ in SCENES.values()]
        for number, scene in enumerate(scenes):
            draws[number % len(draws)](scene)
        self.drawn(folder, [(folder / f"{number}.jpg", scene) for number, scene in enumerate(scenes)])
        return [(folder / f"{number}.jpg").read_bytes() for number in range(count)]

    def large(self, count):
        """Makes a library of many photos that differ in a few bytes, and returns its path. The largest of its ten
        categories has a third of them."""
        library, source = self.work / "Large", self.work / "many"
        drawings = self.drawings(source, 20)
        for number in range(20):
            (source / f"{number}.jpg").unlink()
        for number in range(count):
            folder = source / f"Year {2016 + int(10 * (number / count) ** 2)}"
            folder.mkdir(exist_ok=True)
            # decoders ignore what follows the end of the image
            (folder / f"IMG_{number:05}.jpg").write_bytes(drawings[number % 20] + number.to_bytes(4, "big"))
        self.run("init", "-q", library)
        self.run("add", "-q", "-l", library, source)
        shutil.rmtree(source)
        return library
