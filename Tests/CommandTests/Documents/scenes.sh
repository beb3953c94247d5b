# What the reader of a document has already. A document calls these in `<!-- run: . "$SCENES"; … -->`.

# ~/Family, with the photos of both phones.
library() {
  smilepile init -q ~/Family >/dev/null
  smilepile import -q -l ~/Family ~/Downloads/smilepile_*.zip ~/Downloads/SmilePile*.zip >/dev/null
}

# Rules for `sort`.
rules() {
  mkdir -p ~/.config/smilepile
  cat >~/.config/smilepile/rules.yaml <<'YAML'
rules:
  - {name: 'IMG_*', to: Family}
  - {taken: 2025-09-20..2025-10-01, to: Holidays}
YAML
}

# One full archive of ~/Family in /srv/backups.
backup() {
  library
  mkdir -p /srv/backups
  smilepile export -q -l ~/Family -o /srv/backups --verify >/dev/null
}

# A full archive and one incremental archive of ~/Family in /srv/backups; the second adds a photo of a zoo.
chain() {
  library
  mkdir -p /srv/backups ~/Pictures
  smilepile export -q -l ~/Family -o /srv/backups --incremental >/dev/null
  new_photo ~/Pictures/zoo.jpg
  smilepile add -q -l ~/Family --category Zoo ~/Pictures/zoo.jpg >/dev/null
  smilepile export -q -l ~/Family -o /srv/backups --incremental >/dev/null
}

# A job with two destinations that has run once.
job() {
  library
  write_job
  smilepile backup -q family >/dev/null 2>&1
}

# The job file of a job of ~/Family, and its two destinations.
write_job() {
  mkdir -p /srv/backups/family /mnt/usb/family ~/.config/smilepile
  cat >~/.config/smilepile/config.yaml <<'YAML'
jobs:
  family:
    library: ~/Family
    destinations: [/srv/backups/family, /mnt/usb/family]
    schedule: {frequency: daily, time: "02:30"}
YAML
}

# Writes a photo that neither phone has.
new_photo() { # FILE
  unzip -qp ~/Downloads/SmilePileBackup_*.zip photos/IMG_0004.jpg >"$1"
  echo new >>"$1"
}

# Damages one byte of a file.
damage() { # FILE OFFSET
  chmod u+w "$1"
  printf X | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# Two incremental archives in a folder: the photo “dog” is edited in between, and keeps its ID and name.
reuse_id() { # FOLDER
  mkdir ~/Pets
  new_photo ~/Pets/cat.jpg
  new_photo ~/Pets/dog.jpg
  echo old >>~/Pets/dog.jpg
  smilepile init -q ~/PetLibrary >/dev/null
  smilepile add -q -l ~/PetLibrary ~/Pets >/dev/null
  smilepile export -q -l ~/PetLibrary -o "$1" --incremental >/dev/null
  smilepile remove -q -l ~/PetLibrary --name dog --yes >/dev/null
  echo edited >>~/Pets/dog.jpg
  smilepile add -q -l ~/PetLibrary --category Pets ~/Pets/dog.jpg >/dev/null
  smilepile export -q -l ~/PetLibrary -o "$1" --incremental >/dev/null
}

# ~/Family, with a landscape, two copies of it as messengers send them, and a crop.
similar_photos() {
  smilepile init -q ~/Family >/dev/null
  mkdir -p ~/Pictures
  python3 -c 'import random, sys; sys.stdout.buffer.write(b"P6\n12 9\n255\n" + random.Random(1).randbytes(324))' >~/noise.ppm
  vips resize ~/noise.ppm ~/large.v 100
  vips copy ~/large.v "$HOME/Pictures/mountains.jpg[Q=95]"
  vips resize ~/large.v ~/Pictures/mountains-sent.jpg 0.5
  vips resize ~/large.v "$HOME/Pictures/mountains-sent-again.jpg[Q=40]" 0.4
  vips crop ~/large.v ~/Pictures/mountains-cropped.jpg 20 15 1160 870
  touch -d 2025-06-01 ~/Pictures/*.jpg
  smilepile add -q -l ~/Family --category Family ~/Pictures >/dev/null
}
