"""A paragraph of markdown in each of eight languages."""

PROSE = {
    "English": (
        "Rye doesn't rise the way wheat does: its proteins form no strong gluten, so the crumb is held "
        "together by starch and by gums called pentosans. A baker who's used to wheat finds the dough "
        'sticky, and that\'s as it should be. "Don\'t add flour," says the old rule, "wet your hands instead." '
        "A sourdough of 40 to 60 percent keeps the enzymes in check; at 3.5 hours and 28 °C it is ready "
        "when it domes and smells of apples. Bake hot at first, about 250 °C, then let the heat fall. "
        "The loaf isn't done when it looks done: wait a day, or two, before you cut it."
        "\n\n"
    ),
    "German": (
        "Roggen geht nicht auf wie Weizen: Seine Eiweiße bilden keinen kräftigen Kleber, die Krume wird "
        "vielmehr von Stärke und von Schleimstoffen getragen. Wer Weizenteige gewöhnt ist, findet den "
        "Teig klebrig – und so gehört es sich auch. „Gib kein Mehl dazu“, lautet die alte Regel, „mach "
        "dir lieber die Hände nass.“ Ein Sauerteig von 40 bis 60 Prozent hält die Enzyme im Zaum; nach "
        "3,5 Stunden bei 28 °C ist er reif, wenn er sich wölbt und nach Äpfeln riecht. Zuerst heiß backen, "
        "etwa bei 250 °C, dann fallend. Das Brot ist nicht fertig, wenn’s fertig aussieht: Größere Laibe "
        "müssen einen Tag ruhen, bevor man sie anschneidet."
        "\n\n"
    ),
    "French": (
        "Le seigle ne lève pas comme le blé : ses protéines ne forment pas de gluten solide, et la mie "
        "tient grâce à l’amidon et aux gommes qu’on appelle pentosanes. Celui qui a l’habitude du blé "
        "trouve la pâte collante, et c’est bien ainsi. « N’ajoutez pas de farine », dit la vieille règle, "
        "« mouillez-vous plutôt les mains. » Un levain de 40 à 60 % freine les enzymes ; au bout de "
        "3,5 heures à 28 °C il est mûr, lorsqu’il bombe et sent la pomme. D’abord à four très chaud, "
        "vers 250 °C, puis à chaleur tombante. Le pain n’est pas cuit quand il en a l’air : attendez "
        "un jour, ou deux, avant de l’entamer — œuvre de patience."
        "\n\n"
    ),
    "Russian": (
        "Рожь поднимается не так, как пшеница: её белки не образуют крепкой клейковины, и мякиш держится "
        "на крахмале и слизях, которые называют пентозанами. Кто привык к пшенице, найдёт тесто липким "
        "— так и должно быть. «Не подсыпай муки, — гласит старое правило, — лучше смочи руки». Закваска "
        "на 40–60 процентов сдерживает ферменты; через 3,5 часа при 28 °C она готова, когда поднимается "
        "куполом и пахнет яблоками. Сначала печь жарко, около 250 °C, затем убавить жар. Хлеб не готов, "
        "когда кажется готовым: подождите день-другой, прежде чем его резать, ведь по-настоящему вкусным "
        "он станет лишь назавтра."
        "\n\n"
    ),
    "Arabic": (
        "لا يرتفع عجين الجاودار كما يرتفع عجين القمح، فبروتيناته لا تُكوِّن شبكة قوية، وإنما يتماسك "
        "اللبّ بفضل النشا والمواد الصمغية. ومن اعتاد القمح يجد العجين لزجًا، وهكذا ينبغي أن يكون. تقول "
        "القاعدة القديمة: «لا تُضِف طحينًا، بل بلّل يديك». وتكبح الخميرة الحامضة بنسبة ٤٠ إلى ٦٠ في "
        "المئة عملَ الإنزيمات؛ وبعد ٣٫٥ ساعات في درجة ٢٨ تكون جاهزة حين تنتفخ وتفوح منها رائحة التفاح. "
        "اخبز أولًا في حرارة عالية، نحو ٢٥٠ درجة، ثم خفّضها. لا ينضج الرغيف حين يبدو ناضجًا: انتظر يومًا "
        "أو يومين قبل أن تقطعه."
        "\n\n"
    ),
    "Hindi": (
        "राई का आटा गेहूँ की तरह नहीं फूलता: उसके प्रोटीन मज़बूत ग्लूटेन नहीं बनाते, इसलिए रोटी का गूदा "
        "स्टार्च और गोंद जैसे पदार्थों से टिका रहता है। जो गेहूँ का आदी है उसे यह गुँथा हुआ आटा चिपचिपा "
        "लगेगा, और ऐसा ही होना चाहिए। पुराना नियम कहता है, “और आटा मत डालो, अपने हाथ गीले करो।” चालीस "
        "से साठ प्रतिशत ख़मीर एंज़ाइमों को क़ाबू में रखता है; २८ डिग्री पर ३.५ घंटे बाद वह तैयार होता "
        "है, जब वह उभर आए और उससे सेब की महक आने लगे। पहले तेज़ आँच पर सेंकें, लगभग २५० डिग्री, फिर "
        "आँच धीमी कर दें। रोटी जब पकी हुई दिखे तब भी पकी नहीं होती: काटने से पहले एक-दो दिन रुकिए।"
        "\n\n"
    ),
    "Japanese": (
        "ライ麦は小麦のようには膨らまない。ライ麦のたんぱく質は強いグルテンを作らず、パンの内側はでんぷんとペントサ"
        "ンという粘りのある成分で支えられている。小麦に慣れた人は生地がべたつくと感じるが、それでよい。「粉を足さず"
        "に、手を濡らしなさい」と昔からの決まりは言う。四十から六十パーセントのサワー種は酵素の働きを抑え、28℃で3."
        "5時間ほどたち、表面が丸く盛り上がってリンゴの香りがすれば準備ができている。初めは250℃ほどの高温で焼き、そ"
        "れから温度を下げていく。焼けたように見えても、パンはまだ出来上がっていない。切る前に一日か二日待つこと。"
        "\n\n"
    ),
    "Thai": (
        "แป้งไรย์ไม่ขึ้นฟูเหมือนแป้งสาลี เพราะโปรตีนของมันไม่สร้างกลูเตนที่แข็งแรง เนื้อขนมปังจึงยึดกันด้วยแป้งและ"
        "สารเหนียวที่เรียกว่าเพนโทซาน คนที่คุ้นเคยกับแป้งสาลีจะรู้สึกว่าแป้งโดเหนียวมือ และมันก็ควรเป็นเช่นนั้น "
        "กฎเก่าแก่บอกว่า “อย่าเติมแป้ง ให้ทำมือให้เปียกแทน” หัวเชื้อเปรี้ยวร้อยละสี่สิบถึงหกสิบช่วยควบคุมเอนไซม์ "
        "เมื่อครบ 3.5 ชั่วโมงที่อุณหภูมิ 28 องศา หัวเชื้อจะพร้อมใช้เมื่อมันนูนขึ้นและมีกลิ่นแอปเปิล "
        "อบด้วยไฟแรงก่อนที่ประมาณ 250 องศา แล้วค่อยลดความร้อนลง ขนมปังยังไม่เสร็จแม้จะดูเหมือนเสร็จแล้ว "
        "ให้รอหนึ่งหรือสองวันก่อนตัด"
        "\n\n"
    ),
}
UNSPACED = {"Japanese", "Thai"}
"""The languages that are written without spaces."""
