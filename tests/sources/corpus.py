"""Short passages in English, German, French and Spanish, half of them right, for the checks of sources.

Each group has an excerpt, passages whose words or numbers it supports, and as many that it does not. A passage cites
the source where it has `^`; a group without an excerpt has a source without one.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Group:
    """An excerpt with passages that it supports, and others."""

    excerpt: str
    right: tuple[str, ...]
    wrong: tuple[str, ...]


QUOTATIONS = (
    # English
    Group(
        "A starter needs five days at room temperature before it lifts a dough.",
        (
            'The handbook says "a starter needs five days at room temperature".^',
            "“A starter needs five days at room temperature,” it says.^",
            "“A starter needs five days […] before it lifts a dough.”^",
            "> A starter needs five days at room temperature before it lifts a dough.^",
        ),
        (
            'The handbook says "a starter needs six days at room temperature".^',
            "“A starter needs five days at body temperature,” it says.^",
            "“A starter needs five days … before it lifts the dough.”^",
            "> A starter needs five days at room temperature before it lifts no dough.^",
        ),
    ),
    Group(
        "The committee's report, published late, didn't mention the cost - or who would pay it.",
        (
            "“The committee’s report, published late, didn’t mention the cost – or who would pay it.”^",
            'It "didn’t mention the cost — or who would pay it".^',
            "He wrote: “[T]he committee's report, published late, didn't mention the cost”.^",
            "“The committee's report ... didn't mention the cost!”^",
        ),
        (
            "“The committee’s report, published late, did mention the cost – or who would pay it.”^",
            'It "didn’t mention the costs — or who would pay it".^',
            "He wrote: “[T]he committee's report, published early, didn't mention the cost”.^",
            "“The committee's report ... didn't mention who would pay the cost!”^",
        ),
    ),
    Group(
        'She said: "I have never eaten a better loaf than this one", and left.',
        (
            "“She said: ‘I have never eaten a better loaf than this one’, and left.”^",
            "“I have never eaten a better loaf than this one”, she said.^",
            "«I have never eaten a better loaf», she said.^",
            "> “I have never eaten a better loaf than this one”^",
        ),
        (
            "“She said: ‘I had never eaten a better loaf than this one’, and left.”^",
            "“I have never baked a better loaf than this one”, she said.^",
            "«I have never eaten a worse loaf», she said.^",
            "> “I have rarely eaten a better loaf than this one”^",
        ),
    ),
    Group(
        "Bread is a staple in most diets.\n\nIt was baked by hand until mills\nand ovens were driven by steam.",
        (
            "> Bread is a staple in most diets.\n>\n> It was baked by hand until mills\n> and ovens were driven^",
            "“It was baked by hand until mills  and ovens were driven by steam”, we read.^",
            "“Bread is a *staple* in most diets”, and “cheap”.^",
            "Most say “bread”, some “loaf”, and “it was baked by hand until mills and ovens were driven”.^",
        ),
        (
            "> Bread is a staple in most diets.\n>\n> It was baked by machine until mills were driven by steam.^",
            "“It was baked by hand until mills or ovens were driven by steam”, we read.^",
            "“Bread is a *staple* of many diets”, and “cheap”.^",
            "Most say “bread”, some “loaf”, and “it was made by hand until mills and ovens were driven”.^",
        ),
    ),
    Group(
        "Another people said it first, and the rest repeated it for years.",
        (
            "They admit that “the rest repeated it for years”.^",
            "“Another people said it first, and the rest repeated it for years?”^",
            "“Another people said it first … the rest repeated it”^",
            "“another people said it first, and the rest”^",
        ),
        (
            "They admit that “other people said it first, and the rest repeated”.^",
            "“Another people said it first, and the rest repeat it for years?”^",
            "“The rest repeated it … Another people said it first”^",
            "“another people said it first; the rest”^",
        ),
    ),
    Group(
        "You can call `open()` twice, but the second call returns at once with an error.",
        (
            "“The second call returns at once with an error”, warns the manual.^",
            "“You can call `open()` twice, but the second call returns at once”^",
            '"but the second call returns at once with an error."^',
            "It warns (“the second call returns at once”).^",
        ),
        (
            "“The second call returns later with an error”, warns the manual.^",
            "“You can call `open()` twice, but the third call returns at once”^",
            '"but the second call returns at once without an error."^',
            "It warns (“the second call never returns at once”).^",
        ),
    ),
    # German
    Group(
        "Ein Sauerteig braucht fünf Tage bei Zimmertemperatur, bevor er ein Brot hebt.",
        (
            "„Ein Sauerteig braucht fünf Tage bei Zimmertemperatur“, heißt es dort.^",
            "«Ein Sauerteig braucht fünf Tage bei Zimmertemperatur.»^",
            "„Ein Sauerteig braucht fünf Tage […], bevor er ein Brot hebt.“^",
            "> Ein Sauerteig braucht fünf Tage bei Zimmertemperatur, bevor er ein Brot hebt.^",
        ),
        (
            "„Ein Sauerteig braucht sechs Tage bei Zimmertemperatur“, heißt es dort.^",
            "«Ein Sauerteig braucht fünf Tage bei Raumtemperatur.»^",
            "„Ein Sauerteig braucht fünf Tage […], bevor er kein Brot hebt.“^",
            "> Ein Sauerteig braucht fünf Tage bei Zimmertemperatur, ehe er ein Brot hebt.^",
        ),
    ),
    Group(
        "Die Ministerin erklärte: „Wir haben das nie versprochen, und wir werden es nicht tun.“",
        (
            "Sie sagte: „Wir haben das nie versprochen, und wir werden es nicht tun.“^",
            "„Die Ministerin erklärte: ‚Wir haben das nie versprochen, und wir werden es nicht tun.‘“^",
            "„wir haben das nie versprochen, und wir werden es nicht tun“, so die Ministerin.^",
            "> „Wir haben das nie versprochen, und wir werden es nicht tun.“^",
        ),
        (
            "Sie sagte: „Wir haben das nie versprochen, und wir würden es nicht tun.“^",
            "„Die Ministerin erklärte: ‚Ich habe das nie versprochen, und wir werden es nicht tun.‘“^",
            "„wir haben das immer versprochen, und wir werden es nicht tun“, so die Ministerin.^",
            "> „Wir haben es nie versprochen, und wir werden es nicht tun.“^",
        ),
    ),
    Group(
        "Roggen gärt schneller als Weizen – das wusste man schon im Mittelalter – und schmeckt säuerlich.",
        (
            '"Roggen gärt schneller als Weizen - das wusste man schon im Mittelalter - und schmeckt säuerlich"^',
            "„Roggen gärt schneller als Weizen … und schmeckt säuerlich“^",
            "„Das wusste man schon im Mittelalter“, schreibt sie.^",
            "Bekannt war: „roggen gärt schneller als Weizen“ (und mehr).^",
        ),
        (
            '"Roggen gärt langsamer als Weizen - das wusste man schon im Mittelalter - und schmeckt säuerlich"^',
            "„Roggen gärt schneller als Weizen … und schmeckt süßlich“^",
            "„Das ahnte man schon im Mittelalter“, schreibt sie.^",
            "Bekannt war: „roggen gärt schneller als Dinkel“ (und mehr).^",
        ),
    ),
    Group(
        "Der Vertrag läuft am Jahresende aus, ohne dass es einer Kündigung bedarf.",
        (
            "„Der Vertrag läuft am Jahresende aus, ohne dass es einer Kündigung bedarf!“^",
            "„… ohne dass es einer Kündigung bedarf“^",
            "„[D]er Vertrag läuft am Jahresende aus“^",
            "Der Vertrag „läuft am Jahresende aus (…) einer Kündigung bedarf“.^",
        ),
        (
            "„Der Vertrag läuft am Monatsende aus, ohne dass es einer Kündigung bedarf!“^",
            "„… ohne dass es keiner Kündigung bedarf“^",
            "„[D]er Vertrag läuft zum Jahresende aus“^",
            "Der Vertrag „läuft am Jahresende aus (…) keiner Kündigung bedarf“.^",
        ),
    ),
    # French
    Group(
        "Le levain demande cinq jours à température ambiante avant de faire lever la pâte.",
        (
            "« Le levain demande cinq jours à température ambiante », dit le manuel.^",
            "“le levain demande cinq jours à température ambiante”^",
            "« Le levain demande cinq jours […] avant de faire lever la pâte. »^",
            "> Le levain demande cinq jours à température ambiante avant de faire lever la pâte.^",
        ),
        (
            "« Le levain demande six jours à température ambiante », dit le manuel.^",
            "“le levain demande cinq jours à température constante”^",
            "« Le levain demande cinq jours […] avant de faire lever le pain. »^",
            "> Le levain demande cinq jours à température ambiante pour faire lever la pâte.^",
        ),
    ),
    Group(
        "Qu'est-ce que l'été ? C'est la saison où l'on ne travaille pas ; l'hiver non plus !",
        (
            "« Qu’est-ce que l’été ? C’est la saison où l’on ne travaille pas ; l’hiver non plus ! »^",
            "« C’est la saison où l’on ne travaille pas »^",
            "« Qu'est-ce que l'été? C'est la saison où l'on ne travaille pas; l'hiver non plus! »^",
            "Il écrit : \"c'est la saison où l'on ne travaille pas\".^",
        ),
        (
            "« Qu’est-ce que l’été ? C’est la saison où l’on travaille ; l’hiver non plus ! »^",
            "« C’est la saison où l’on travaille pas »^",
            "« Qu'est-ce que l'été? C'est une saison où l'on ne travaille pas; l'hiver non plus! »^",
            "Il écrit : \"c'est la raison où l'on ne travaille pas\".^",
        ),
    ),
    Group(
        "Le maire a déclaré que « le pont ne sera pas ouvert avant la fin des travaux », sans donner de date.",
        (
            "« le pont ne sera pas ouvert avant la fin des travaux »^",
            "« Le maire a déclaré que “le pont ne sera pas ouvert avant la fin des travaux” »^",
            "« Le pont ne sera pas ouvert … sans donner de date »^",
            "> « le pont ne sera pas ouvert avant la fin des travaux »^",
        ),
        (
            "« le pont sera ouvert avant la fin des travaux »^",
            "« Le maire a déclaré que “le pont ne sera jamais ouvert avant la fin des travaux” »^",
            "« Le pont ne sera pas ouvert … sans donner de raison »^",
            "> « le pont ne sera pas ouvert après la fin des travaux »^",
        ),
    ),
    # Spanish
    Group(
        "La masa madre necesita cinco días a temperatura ambiente antes de levantar un pan.",
        (
            "«La masa madre necesita cinco días a temperatura ambiente», dice el manual.^",
            "“la masa madre necesita cinco días a temperatura ambiente”^",
            "«La masa madre necesita cinco días […] antes de levantar un pan».^",
            "> La masa madre necesita cinco días a temperatura ambiente antes de levantar un pan.^",
        ),
        (
            "«La masa madre necesita seis días a temperatura ambiente», dice el manual.^",
            "“la masa madre necesita cinco días a temperatura constante”^",
            "«La masa madre necesita cinco días […] antes de levantar el pan».^",
            "> La masa madre necesita cinco días a temperatura ambiente para levantar un pan.^",
        ),
    ),
    Group(
        "¿Quién lo sabía? Nadie: «todos callaron durante muchos años», escribió después.",
        (
            "Escribió que «todos callaron durante muchos años».^",
            "«¿Quién lo sabía? Nadie: “todos callaron durante muchos años”»^",
            '"todos callaron durante muchos años" es lo que escribió.^',
            "“Todos callaron durante muchos años…”^",
        ),
        (
            "Escribió que «todos hablaron durante muchos años».^",
            "«¿Quién lo sabía? Alguien: “todos callaron durante muchos años”»^",
            '"todos callaron durante pocos años" es lo que escribió.^',
            "“Todos callaron durante tantos años…”^",
        ),
    ),
    Group(
        "El acuerdo, firmado en Madrid, no obliga a ninguna de las partes.",
        (
            "«El acuerdo, firmado en Madrid, no obliga a ninguna de las partes»^",
            "«El acuerdo […] no obliga a ninguna de las partes»^",
            "«[E]l acuerdo, firmado en Madrid, no obliga»^",
            '"no obliga a ninguna de las partes."^',
        ),
        (
            "«El acuerdo, firmado en Madrid, obliga a ninguna de las partes»^",
            "«El acuerdo […] no obliga a ninguna de las dos partes»^",
            "«[E]l acuerdo, firmado en Lisboa, no obliga»^",
            '"no obliga a algunas de las partes."^',
        ),
    ),
    Group(
        "Nobody knows how old the oldest starter is; some say 4,500 years, others a century.",
        (
            "“Nobody knows how old the oldest starter is; some say 4,500 years”^",
            "It is said that „nobody knows how old the oldest starter is“.^",
            "- “how old the oldest starter is”^",
            "| Claim |\n|---|\n| “some say 4,500 years, others a century” ^ |",
            "“too short a quotation”, and others.^",
            "# “Nobody knows how old the oldest starter is”^\n",
        ),
        (
            "“Nobody knows how old the oldest starter is; some say 4,600 years”^",
            "It is said that „nobody knows how old an oldest starter is“.^",
            "- “how young the oldest starter is”^",
            "| Claim |\n|---|\n| “some say 4,500 years, others two centuries” ^ |",
            "“hardly too short as a quotation”, and others.^",
            "# “Nobody knows how old the eldest starter is”^\n",
        ),
    ),
)

NUMBERS = (
    # English
    Group(
        "Of 12,500 bakers asked, 45 % feed it twice a day and 7.5 percent never do; it costs $3.50.",
        (
            "Of 12,500 bakers, many feed it.^",
            "Some 12 500 bakers were asked.^",
            "About 45 % feed it twice a day.^",
            "7.5% never do.^",
            "It costs $3.50 a week.^",
            "They asked 12500 people.^",
            "A share of 7,5 per cent never does.^",
            "Forty-six percent is in words, and nobody counts it.",
            "In 2024 there were 999 left.",
            "Version 3.12.1400 came on 2024-05-12 at 14:30.",
            "Call +1 212 555 0199 or +49 30 1234567.",
            "See `price = 4500` and https://example.org/12345 there.",
            "It lasted from 1914 to 1918.",
            "By RFC 7231 and ISO 27001 it is allowed.",
        ),
        (
            "Of 13,500 bakers, many feed it.^",
            "Some 125 000 bakers were asked.^",
            "About 46 % feed it twice a day.^",
            "75% never do.^",
            "It costs $3.55 a week.^",
            "They asked 12501 people.^",
            "A share of 7,6 per cent never does.^",
            "About 46 percent feed it.",
            "In 2024 there were 9,999 left.",
            "It took 14000 hours.",
            "It costs €5.",
            "See the price of 4500 there.",
            "It grew by 10–15 %.",
            "- The item has 25,000 parts",
        ),
    ),
    Group(
        "The fund lost 1.2 million dollars, 4500 clients and 0.3 % of its worth in 2019.",
        (
            "It lost $1.2 million.^",
            "Some 4,500 clients left.^",
            "0.3% of its worth went.^",
            "# In 2019 it lost .3 of a point\n",
            "| Year | Clients |\n|---|---|\n| 2019 | 4 500^ |",
            "> It lost 4500 clients.^",
            "It lost 1.2 million dollars and 4500 clients.^",
            "The 1990s were better, and 2100 may be.",
            "Room 101, gate 22 and chapter 7 are closed.",
        ),
        (
            "It lost $1.3 million.^",
            "Some 45,000 clients left.^",
            "3% of its worth went.^",
            "# In 2019 it lost 3 %\n",
            "| Year | Clients |\n|---|---|\n| 2019 | 5 400^ |",
            "> It lost 4501 clients.^",
            "It lost 1.2 million dollars and 4501 clients.^",
            "The 1990s had 3 million dollars of it.",
            "Some 10100 rooms are closed.",
        ),
    ),
    # German
    Group(
        "Von 12.500 Befragten füttern 45 Prozent ihn zweimal; 7,5 % nie. Er kostet 3,50 €.",
        (
            "Von 12.500 Befragten tun es viele.^",
            "Rund 12 500 wurden befragt.^",
            "Es sind 45 % der Befragten.^",
            "Nie tun es 7.5 Prozent.^",
            "Er kostet 3,50 Euro.^",
            "Die 45-prozentige Mehrheit tut es.^",
            "Fünfundvierzig Prozent stehen hier in Worten.",
            "Am 12.05.2024 um 14:30 Uhr.",
            "Version 2.10.4 gilt seit 2023.",
            "Tel. 030 1234567 oder +49 30 1234567.",
            "Nach DIN 1055 und § 1234 gilt es.",
            "Der Code `4500` bleibt.",
        ),
        (
            "Von 13.500 Befragten tun es viele.^",
            "Rund 125 000 wurden befragt.^",
            "Es sind 54 % der Befragten.^",
            "Nie tun es 75 Prozent.^",
            "Er kostet 3,55 Euro.^",
            "Etwa 46 % der Mehrheit tun es.^",
            "45 Prozent stehen hier in Ziffern.",
            "Am Ende waren es 12.052 Leute.",
            "Es gab 21.040 Stück.",
            "Es kostet 1.234,50 CHF.",
            "Es waren 10 bis 15 Prozent.",
            "Der Betrag von 4500 bleibt.",
        ),
    ),
    Group(
        "Der Umsatz stieg auf 2,5 Mrd. Euro, die Zahl der Läden auf 1'250.",
        (
            "Der Umsatz stieg auf 2,5 Milliarden Euro.^",
            "Es gibt 1.250 Läden.^",
            "Es gibt 1250 Läden und 2,5 Mrd. € Umsatz.^",
            "> Es gibt 1 250 Läden.^",
            "Im Jahr 1848 gab es 12 Läden.",
            "Die Ausgaben 2019/20 fehlen.",
        ),
        (
            "Der Umsatz stieg auf 25 Milliarden Euro.^",
            "Es gibt 1.520 Läden.^",
            "Es gibt 12500 Läden und 2,5 Mrd. € Umsatz.^",
            "> Es gibt 1 251 Läden.^",
            "Im Jahr 1848 gab es 12 000 Läden.",
            "Die Ausgaben von 5 Mio. Euro fehlen.",
        ),
    ),
    # French
    Group(
        "Sur 12 500 boulangers, 45 % le nourrissent deux fois et 7,5 % jamais ; il coûte 3,50 €.",
        (
            "Sur 12 500 boulangers, beaucoup le font.^",
            "On a interrogé 12.500 boulangers.^",
            "Soit 45 pour cent des réponses.^",
            "Il en reste 7,5 %.^",
            "Il coûte 3,50 euros.^",
            "Quarante-cinq pour cent, en toutes lettres.",
            "Le 12/05/2024 à 14:30.",
            "Tél. 01 23 45 67 89 ou +33 1 23 45 67 89.",
            "La norme ISO 9001 et la version 4.2.1 suffisent.",
            "De 1789 à 1799, rien.",
        ),
        (
            "Sur 15 200 boulangers, beaucoup le font.^",
            "On a interrogé 12.501 boulangers.^",
            "Soit 54 pour cent des réponses.^",
            "Il en reste 75 %.^",
            "Il coûte 3,05 euros.^",
            "Il y en a 45 pour cent.",
            "Il y en a 12 052.",
            "Cela fait 1 234 567 personnes.",
            "Cela coûte 9 001 €.",
            "De 10 à 15 %, rien.",
        ),
    ),
    Group(
        "La ville compte 2 145 906 habitants et a dépensé 3,2 milliards d'euros.",
        (
            "Elle compte 2 145 906 habitants.^",
            "Elle a dépensé 3,2 milliards d'euros.^",
            "Elle compte 2.145.906 habitants, pour 3,2 milliards d’euros.^",
            "Elle a 20 arrondissements.",
        ),
        (
            "Elle compte 2 154 906 habitants.^",
            "Elle a dépensé 2,3 milliards d'euros.^",
            "Elle compte 2.145.906 habitants, pour 3,3 milliards d’euros.^",
            "Elle a 20 000 arbres.",
        ),
    ),
    # Spanish
    Group(
        "De 12.500 panaderos, el 45 % la alimenta dos veces y el 7,5 % nunca; cuesta 3,50 euros.",
        (
            "De 12.500 panaderos, muchos lo hacen.^",
            "Preguntaron a 12 500 panaderos.^",
            "Es el 45 por ciento.^",
            "Queda el 7,5%.^",
            "Cuesta 3,50 €.^",
            "El cuarenta y cinco por ciento, en letras.",
            "El 12/05/2024 a las 14:30.",
            "Teléfono +34 91 123 45 67.",
            "La versión 2.0.1 es de 2023.",
            "Entre 1936 y 1939, nada.",
        ),
        (
            "De 15.200 panaderos, muchos lo hacen.^",
            "Preguntaron a 12 501 panaderos.^",
            "Es el 54 por ciento.^",
            "Queda el 75%.^",
            "Cuesta 3,05 €.^",
            "Es el 45 por ciento.",
            "Fueron 12.052 personas.",
            "Cuesta 20 dólares.",
            "Hubo 2.500 casos.",
            "Entre 10 y 15 % de ellos.",
        ),
    ),
    Group(
        "El banco ganó 1.200 millones de euros y cerró 350 oficinas.",
        (
            "El banco ganó 1.200 millones de euros.^",
            "Ganó 1200 millones de euros.^",
            "Cerró 350 oficinas en 2023.^",
            "Tiene 12 sedes.",
        ),
        (
            "El banco ganó 1.300 millones de euros.^",
            "Ganó 12 millones de euros.^",
            "Cerró 3.500 oficinas en 2023.^",
            "Tiene 12.000 empleados.",
        ),
    ),
    Group(
        "It weighs 1,250 g, holds 3.5 litres and costs 1 200 kr, 20 SEK of it tax.",
        (
            "It weighs 1250g.^",
            "It weighs 1,250 g, 20 SEK of it tax.^",
            "It holds three and a half litres.",
            "Ask for model A4500 or B-7200.",
            "It costs SEK 20 in tax.^",
            "The page /items/45000 has it.",
            "Of 300 asked, 20 agreed.",
        ),
        (
            "It weighs 2520g.^",
            "It weighs 1,250 g, 25 SEK of it tax.^",
            "It holds 3500 ml.",
            "Ask for 4500 or 7200 of them.",
            "It costs SEK 25 in tax.^",
            "The page has 45000 items.",
            "Of 300 asked, 20 % agreed.",
        ),
    ),
    # A source without an excerpt
    Group(
        "",
        ("About 46 % feed it.^", "Es sind 4.500 €.^", "Il y en a 12 052.^", "Cuesta 20 dólares.^"),
        ("About 46 % feed it.", "Es sind 4.500 €.", "Il y en a 12 052.", "Cuesta 20 dólares."),
    ),
)
