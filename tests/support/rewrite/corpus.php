<?php
// Prints values as WordPress and its plugins store them for the site of the argument: one line of
// JSON with a Base64 text for each name. A name with "*" is one that wp-cli leaves or damages.
$host = $argv[1];
$url = "https://$host";

class Thing
{
    private $secret;
    protected $cover;
    public $title = 'Café 😀';
    public $same;
    public $ratio = 0.1;

    public function __construct($url)
    {
        $this->secret = "$url/private";
        $this->cover = "$url/cover.jpg";
        $this->same = &$this->cover;
    }
}

class Packed implements Serializable
{
    public $data;

    public function __construct($data = null)
    {
        $this->data = $data;
    }

    public function serialize(): string
    {
        return serialize($this->data);
    }

    public function unserialize($text): void
    {
        $this->data = unserialize($text);
    }
}

enum Suit: string
{
    case Hearts = 'H';
}

$elementor = [[
    'id' => '6f2e1a', 'elType' => 'widget', 'widgetType' => 'image', 'elements' => [],
    'settings' => [
        'image' => ['url' => "$url/wp-content/uploads/é.jpg", 'id' => 12],
        'link' => ['url' => "http://$host/?a=1&b=2", 'is_external' => ''],
        'html' => "<a href=\"$url/\">Don't</a>\n",
    ],
]];
$widget = [
    2 => ['title' => "It's", 'text' => "<img src='$url/a.png' srcset='$url/a.png 1x, $url/b.png 2x'>"],
    '_multiwidget' => 1,
];
$cron = [
    1790000000 => ['import_feed' => [md5('x') => [
        'schedule' => 'hourly', 'args' => ["$url/feed/", 3, true, null], 'interval' => 3600,
    ]]],
    'version' => 2,
];
$session = [
    'cart' => serialize([md5('1') => ['product_id' => 7, 'image' => "$url/p.jpg", 'line_total' => 9.99]]),
    'customer' => serialize(['email' => 'ann@old.example', 'note' => '']),
    'wc_notices' => null,
];
$mapped = "https:\/\/$host";

$values = [
    'option home' => $url,
    'post with blocks' => "<!-- wp:image {\"id\":1} -->\n<figure><img src=\"$url/é.jpg\" alt=\"\"/></figure>\n"
        . "<!-- /wp:image -->\n<p>See $url, http://$host. and <a href='//$host/x'>it</a></p>",
    'page builder shortcode' => "[vc_row css=\".a{background:url($url/b.jpg?id=5) !important;}\"]",
    'widget option' => serialize($widget),
    'cron option' => serialize($cron),
    'WooCommerce session' => serialize($session),
    'object of a known class' => serialize((object) ['url' => $url, 'list' => [$url, 1.5, -0.0, INF]]),
    'Yoast option' => serialize(['website_name' => '', 'og_default_image' => "$url/og.png", 'social' => [$url]]),
    'ACF link' => serialize(['title' => 'Über', 'url' => "$url/über/", 'target' => '_blank']),
    'serialised three times' => serialize(serialize(serialize("$url/ß"))),
    'JSON without escaped slashes' => json_encode(['u' => "$url/"], JSON_UNESCAPED_SLASHES),
    'custom CSS' => "@import url(//$host/a.css);\r\n.b { background: url('$url/b.png') }",
    'transient' => serialize((object) ['last_checked' => 1, 'response' => ['a/a.php' => (object) ['url' => $url]]]),
    'binary in a serialised string' => serialize(["\0\x01 $url", "\u{1F600}"]),

    'Elementor data *' => json_encode($elementor),
    'Elementor data in a serialised cache *' => serialize(['html' => '', 'data' => json_encode($elementor)]),
    'Gutenberg block with escaped JSON *' => "<!-- wp:cover {\"url\":\"$mapped\\/c.jpg\"} --><div></div>",
    'Gutenberg block with a serialised attribute *' => '<!-- wp:legacy-widget '
        . json_encode(['instance' => ['raw' => serialize($widget)]]) . ' /-->',
    'JSON in JSON *' => json_encode(['settings' => json_encode(['u' => "$url/é"])]),
    'serialised in JSON *' => json_encode(['option' => serialize($widget)]),
    'serialised in JSON in JSON *' => json_encode([json_encode(['o' => serialize(['ü' => "$url/ü"])])]),
    'share link *' => "https://share.example/?u=" . rawurlencode("$url/a b/") . "&v=1",
    'share link in a link *' => 'https://a.example/?r=' . rawurlencode('https://b.example/?u=' . rawurlencode($url)),
    'cookie with a serialised value *' => 'cart=' . rawurlencode(serialize(["$url/ü"])),
    'form field with a serialised value *' => htmlspecialchars(serialize(["a&b'\"", $url])),
    'objects of unknown classes *' => serialize([new Thing($url), [Suit::Hearts]]),
    'object with a format of its own *' => serialize(new Packed([$url, new Packed("$url/ü")])),
    'keys *' => serialize(["$url/old/" => ['to' => "$url/new/"], 5 => Suit::Hearts]),
    'handlebars template *' => "href=\"https:&#x2F;&#x2F;$host&#x2F;a\"",
    'slashed for wp_insert_post *' => addslashes(serialize(["it's", $url])),
];
echo json_encode(array_map('base64_encode', $values)), "\n";
