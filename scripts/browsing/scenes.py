"""Drawings of landscapes and parties, as SVG: photos that may be shown in the documents."""

import math


class Scene:
    """A drawing of 640 × 480. The random numbers place and colour what is in it."""

    def __init__(self, dice):
        self.dice, self.parts = dice, []

    def add(self, part):
        self.parts.append(part)

    def sky(self, top, bottom):
        self.add(
            f'<defs><linearGradient id="sky" x2="0" y2="1"><stop stop-color="{top}"/>'
            f'<stop offset="1" stop-color="{bottom}"/></linearGradient></defs>'
            '<rect width="640" height="480" fill="url(#sky)"/>'
        )

    def disc(self, x, y, radius, color, opacity=1.0):
        self.add(f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{radius:.0f}" fill="{color}" opacity="{opacity}"/>')

    def shape(self, color, *points):
        self.add(f'<path fill="{color}" d="M{" ".join(f"{x:.0f},{y:.0f}" for x, y in points)}z"/>')

    def hill(self, y, height, color):
        phase, length = self.dice.uniform(0, 6), self.dice.uniform(90, 160)
        line = [
            (x, y - height * (math.sin(x / length + phase) + math.sin(x / length / 2.3 + phase * 2)))
            for x in range(0, 641, 8)
        ]
        self.shape(color, (0, 480), *line, (640, 480))

    def cloud(self, x, y, size):
        for dx, dy, radius in (-1, 0.2, 0.6), (0, 0, 0.9), (1, 0.2, 0.65), (0.3, 0.35, 0.7), (-0.5, 0.3, 0.6):
            self.disc(x + dx * size, y + dy * size, radius * size, "#FFFFFF", 0.85)

    def svg(self):
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" width="640" height="480" viewBox="0 0 640 480">'
            + "".join(self.parts)
            + "</svg>"
        )


def beach(scene):
    dice = scene.dice
    scene.sky(*dice.choice([("#5BB8F0", "#E3F5FF"), ("#F7A35C", "#FFE6B8"), ("#7FA8E8", "#FAD7E0")]))
    scene.disc(dice.randint(80, 560), dice.randint(60, 150), 44, "#FFF1A8")
    scene.add(
        '<rect y="250" width="640" height="130" fill="#2E8FBF"/><rect y="300" width="640" height="80" fill="#45A9D1"/>'
    )
    for _ in range(dice.randint(1, 3)):
        x, y, size = dice.randint(80, 560), dice.randint(258, 300), dice.randint(22, 46)
        scene.shape("#FFFFFF", (x, y - 2 * size), (x, y), (x + size, y))
        scene.shape(
            dice.choice(["#E4572E", "#F2C14E", "#7A306C"]), (x - 4, y - 1.8 * size), (x - 4, y), (x - size * 0.7, y)
        )
        scene.shape(
            "#5B3A29",
            (x - size, y + 4),
            (x + size * 1.2, y + 4),
            (x + size * 0.8, y + size * 0.4),
            (x - size * 0.7, y + size * 0.4),
        )
    scene.hill(400, 6, "#F0D9A0")
    x, color = dice.randint(120, 520), dice.choice(["#E4572E", "#D81E5B", "#3BB273"])
    scene.add(f'<rect x="{x}" y="320" width="6" height="130" fill="#8A5A3B"/>')
    scene.add(f'<path d="M{x - 90} 350a93 80 0 0 1 186 0z" fill="{color}"/>')
    scene.add(f'<path d="M{x - 30} 350a33 78 0 0 1 66 0z" fill="#FFFFFF"/>')
    scene.disc(dice.randint(60, 580), 440, 16, dice.choice(["#3D5A80", "#EE6C4D"]))


def mountains(scene):
    dice = scene.dice
    scene.sky(*dice.choice([("#4F9DDE", "#DFF2FF"), ("#6C7BB8", "#FBC9A5"), ("#88C9E8", "#FFF8E1")]))
    scene.cloud(dice.randint(80, 560), dice.randint(60, 120), dice.randint(22, 34))
    for color, low, high in ("#8FA8C0", 90, 190), ("#6B8BA4", 140, 230):
        for _ in range(3):
            x, y, width = dice.randint(0, 640), dice.randint(low, high), dice.randint(150, 260)
            scene.shape(color, (x, y), (x - width, 400), (x + width, 400))
            cut = 36
            scene.shape(
                "#FFFFFF",
                (x, y),
                (x - width * cut / (400 - y), y + cut),
                (x - 8, y + cut - 12),
                (x + 6, y + cut + 6),
                (x + width * cut / (400 - y), y + cut),
            )
    scene.hill(360, 18, "#7FB069")
    scene.hill(410, 12, "#4E8A4B")
    for _ in range(dice.randint(6, 14)):
        x, y, size = dice.randint(10, 630), dice.randint(390, 460), dice.randint(20, 42)
        scene.shape("#24532F", (x, y - 2 * size), (x - size * 0.6, y), (x + size * 0.6, y))


def balloons(scene):
    dice = scene.dice
    scene.sky(*dice.choice([("#59B5F2", "#F0FAFF"), ("#F6B88F", "#FFF3D6"), ("#8FB9F2", "#F7DDF2")]))
    for _ in range(3):
        scene.cloud(dice.randint(40, 600), dice.randint(50, 330), dice.randint(18, 34))
    for _ in range(dice.randint(2, 5)):
        x, y, size = dice.randint(80, 560), dice.randint(90, 280), dice.randint(30, 70)
        first, second = dice.sample(["#E4572E", "#F2C14E", "#3D5A80", "#3BB273", "#D81E5B", "#7A306C"], 2)
        scene.disc(x, y, size, first)
        scene.add(f'<ellipse cx="{x}" cy="{y}" rx="{size * .45:.0f}" ry="{size}" fill="{second}"/>')
        scene.shape(
            first,
            (x - size * 0.55, y + size * 0.8),
            (x + size * 0.55, y + size * 0.8),
            (x + size * 0.2, y + size * 1.35),
            (x - size * 0.2, y + size * 1.35),
        )
        scene.add(
            f'<rect x="{x - size * .2:.0f}" y="{y + size * 1.5:.0f}" width="{size * .4:.0f}" height="{size * .3:.0f}" fill="#6B4226"/>'
        )
    scene.hill(420, 14, "#8CC084")
    scene.hill(450, 8, "#5FA35A")


def garden(scene):
    dice = scene.dice
    scene.sky("#8FD3F4", "#F1FBFF")
    scene.disc(dice.randint(60, 580), 80, 40, "#FFE066")
    scene.hill(270, 14, "#A5D28F")
    scene.add('<rect y="300" width="640" height="180" fill="#6FB55C"/>')
    for x in range(10, 640, 42):
        scene.add(f'<rect x="{x}" y="250" width="24" height="80" rx="6" fill="#F8F1E5"/>')
    scene.add('<rect y="272" width="640" height="9" fill="#EADFCB"/>')
    for _ in range(dice.randint(9, 20)):
        x, y, size = dice.randint(20, 620), dice.randint(340, 440), dice.randint(9, 19)
        color = dice.choice(["#E4572E", "#F9C80E", "#EA3788", "#9B5DE5", "#FFFFFF"])
        scene.add(f'<path d="M{x} {y}v{size * 4}" stroke="#2F6B31" stroke-width="5"/>')
        for angle in range(0, 360, 60):
            scene.disc(
                x + size * math.cos(math.radians(angle)), y + size * math.sin(math.radians(angle)), size * 0.7, color
            )
        scene.disc(x, y, size * 0.6, "#7A4419" if color == "#F9C80E" else "#FFD23F")


def birthday(scene):
    dice = scene.dice
    scene.sky(*dice.choice([("#FDE2E4", "#FFF1E6"), ("#DFF3E4", "#FFFBE6"), ("#E2ECFA", "#FDF0FF")]))
    colors = ["#E4572E", "#F2C14E", "#3D5A80", "#3BB273", "#D81E5B"]
    for index, x in enumerate(range(0, 640, 64)):
        y = 60 - 30 * math.sin(math.pi * x / 576)
        scene.shape(colors[index % 5], (x, 90 - y), (x + 56, 90 - y), (x + 28, 145 - y))
    for _ in range(dice.randint(3, 6)):
        x, y, size = (
            dice.choice([dice.randint(50, 180), dice.randint(460, 590)]),
            dice.randint(150, 270),
            dice.randint(26, 42),
        )
        scene.add(f'<path d="M{x} {y + size}q12 50 -6 120" stroke="#8D99AE" fill="none" stroke-width="2"/>')
        scene.add(f'<ellipse cx="{x}" cy="{y}" rx="{size * .85:.0f}" ry="{size}" fill="{dice.choice(colors)}"/>')
    scene.add('<rect y="400" width="640" height="80" fill="#C98B5B"/>')
    icing = dice.choice(["#F7A1C4", "#9AD1F5", "#FFF3B0"])
    scene.add(
        '<rect x="200" y="300" width="240" height="100" rx="14" fill="#8A5A3B"/>'
        f'<rect x="200" y="285" width="240" height="45" rx="20" fill="{icing}"/>'
    )
    candles = dice.randint(2, 6)
    for index in range(candles):
        x = 220 + 200 * (index + 0.5) / candles
        scene.add(f'<rect x="{x - 5:.0f}" y="240" width="10" height="48" fill="{colors[index % 5]}"/>')
        scene.add(f'<ellipse cx="{x:.0f}" cy="228" rx="7" ry="13" fill="#FFB627"/>')


def night(scene):
    dice = scene.dice
    scene.sky(*dice.choice([("#0B1437", "#3A4A7A"), ("#120C2C", "#5B3A6E"), ("#071A2C", "#21506B")]))
    for _ in range(90):
        scene.disc(dice.randint(0, 640), dice.randint(0, 340), dice.choice([1, 1, 2]), "#FFFBE0", 0.9)
    x, y = dice.randint(80, 560), dice.randint(60, 140)
    scene.disc(x, y, 46, "#FFF6CF")
    scene.disc(x + 14, y - 10, 8, "#E8DDB0")
    scene.hill(350, 20, "#1E3A3A")
    scene.hill(410, 12, "#142B2B")
    for _ in range(dice.randint(1, 3)):
        x, size = dice.randint(60, 520), dice.randint(50, 90)
        scene.add(f'<rect x="{x}" y="{430 - size}" width="{size * 1.2:.0f}" height="{size}" fill="#5A4A42"/>')
        scene.shape("#8C3B2A", (x - 10, 430 - size), (x + size * 0.6, 385 - size), (x + size * 1.2 + 10, 430 - size))
        for dx in 0.2, 0.7:
            scene.add(
                f'<rect x="{x + size * dx:.0f}" y="{445 - size}" width="{size * .28:.0f}" height="{size * .3:.0f}" fill="#FFD166"/>'
            )


# category: (drawing, names of photos)
SCENES = {
    "Beach days": (
        beach,
        [
            "Sailing boats",
            "Red umbrella",
            "Evening at the sea",
            "The big sandcastle",
            "Low tide",
            "First swim",
            "Lost ball",
            "Windy afternoon",
            "Last day",
        ],
    ),
    "In the mountains": (
        mountains,
        ["Above the lake", "Snow in June", "The long way up", "Picnic", "Seven pines", "Before the rain", "Summit"],
    ),
    "Balloon festival": (balloons, ["Up they go", "Anna’s favourite", "Sunrise start", "Five at once", "Landing"]),
    "Grandma’s garden": (
        garden,
        ["Sunflowers", "Behind the fence", "Watering", "Ladybird hunt", "Tulips", "Strawberries"],
    ),
    "Birthday": (birthday, ["Blowing out candles", "Cake for everyone", "Balloons", "Presents", "The party table"]),
    "Before bedtime": (night, ["Full moon", "Counting stars", "The neighbours are awake", "Quiet village"]),
}
