import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { masked, visible } from '#agent/programs/logs/matches.ts'
import { forAll } from '#tests/support/for-all.ts'
import { runs } from '#tests/support/runs.ts'

const SECRET = 'Zq8mW2xT7kLp4vNc'
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlb2Z0aGlz'

/** Lines as nginx, PHP, WordPress and plugins write them, each with a secret. */
const CORPUS = [
  `203.0.113.7 - - "GET /?token=${SECRET} HTTP/2.0" 200 1 "-" "-"`,
  `"GET /?a=1&access_token=${SECRET}&b=2 HTTP/2.0"`,
  `"GET /?a=1;api_key=${SECRET};b=2"`,
  `"GET /?apikey=${SECRET}"`,
  `"GET /?X-Amz-Signature=${SECRET}&X-Amz-Security-Token=${SECRET}&X-Amz-Credential=${SECRET}"`,
  `"GET /?client_secret=${SECRET}"`,
  `"GET /wp-login.php?action=rp&key=${SECRET}&login=anna"`,
  `"GET /wp-login.php?action=resetpass&key=${SECRET}%3A1&login=anna"`,
  `"GET /wp-activate.php?key=${SECRET}"`,
  `"GET /?_wpnonce=${SECRET}&action=delete"`,
  `"POST /wp-admin/admin-ajax.php?nonce=${SECRET}"`,
  `"GET /checkout/order-received/7/?key=wc_order_${SECRET}"`,
  `"GET /wc-api?consumer_key=ck_${SECRET}&consumer_secret=cs_${SECRET}"`,
  `"GET /oauth/callback?code=${SECRET}&state=x"`,
  `"GET /?sig=${SECRET}"`,
  `"GET /?hash=${SECRET}"`,
  `"GET /?PHPSESSID=${SECRET}"`,
  `"GET /?jwt=${SECRET}&otp=${SECRET}"`,
  `"GET /?data[password]=${SECRET}"`,
  `"GET /?password[0]=${SECRET}"`,
  `"GET /?password%5B0%5D=${SECRET}"`,
  `"GET /wp-login.php?redirect_to=https%3A%2F%2Fshop.example%2F%3Ftoken%3D${SECRET}%26x%3D1"`,
  `"GET /x?u=https%253A%252F%252Fa%252F%253Fkey%253D${SECRET}"`,
  `"-" "https://shop.example/?a=1&token=${SECRET}" "Mozilla/5.0"`,
  `2026/03/01 09:30:00 [error] 7#7: *1 open() failed, request: "GET /a?key=${SECRET} HTTP/1.1", host: "a"`,
  `referrer: "https://shop.example/wp-login.php?action=rp&key=${SECRET}"`,
  `Cookie: wordpress_logged_in_0123456789abcdef=${SECRET}; other=${SECRET}`,
  `Set-Cookie: session=${SECRET}; HttpOnly`,
  `wordpress_sec_0123456789abcdef0123456789abcdef=anna%7C1%7C${SECRET}`,
  `Authorization: Basic ${SECRET}`,
  `Authorization: Bearer ${SECRET}`,
  `Proxy-Authorization: Digest username="a", response="${SECRET}"`,
  `{"Cookie":"a=${SECRET}"}`,
  `the header Bearer ${SECRET} was refused`,
  `X-Api-Key: ${SECRET}`,
  `X-WP-Nonce: ${SECRET}`,
  `'HTTP_COOKIE' => 'a=${SECRET}; b=${SECRET}'`,
  `[HTTP_AUTHORIZATION] => Basic ${SECRET}`,
  `[PHP_AUTH_PW] => ${SECRET}`,
  `{"user":"anna","password":"${SECRET}"}`,
  `{"password":"a\\"${SECRET}"}`,
  `array ( 'user_pass' => '${SECRET}', )`,
  `Array ( [pwd] => ${SECRET} [log] => anna )`,
  `define('DB_PASSWORD', '${SECRET}');`,
  `UPDATE wp_users SET user_pass = '${SECRET}' WHERE ID = 1`,
  `UPDATE wp_users SET \`user_activation_key\` = '${SECRET}'`,
  `password: ${SECRET}`,
  `password = ${SECRET}`,
  `API key: ${SECRET}`,
  `mysql://shop:${SECRET}@localhost/shop`,
  `https://anna:${SECRET}@api.example/`,
  `#0 /srv/a.php(7): wp_signon('anna', '${SECRET}')`,
  `#1 mysqli_real_connect('localhost', 'shop', '${SECRET}', 'shop')`,
  `#2 PDO->__construct('mysql:host=a', 'shop', '${SECRET}')`,
  `#3 wp_authenticate_username_password(NULL, 'anna', '${SECRET}')`,
  `#4 password_verify('${SECRET}', 'x')`,
  `got ${JWT} from the client`,
  `sk_live_${SECRET} and whsec_${SECRET}`,
  `ghp_${SECRET}${SECRET}`,
  `xoxb-${SECRET}`,
  `AKIA${SECRET.toUpperCase()}`,
  `$P$B${SECRET}`,
  `$2y$10$${SECRET}${SECRET}`,
  `$wp$2y$10$${SECRET}${SECRET}`,
  `cURL error for https://hooks.slack.com/services/T0/B0/${SECRET}`,
  `https://api.telegram.org/bot1:${SECRET}/sendMessage`,
  `-----BEGIN RSA PRIVATE KEY-----\n${SECRET}\n-----END RSA PRIVATE KEY-----`,
  `https://a.example/reset?email=anna%40a.example&reset_key=${SECRET}`,
]

test.each(CORPUS)('masks the secret of %s', (line) => {
  const text = masked(line)

  expect(text).not.toContain(SECRET)
  expect(text.toLowerCase()).not.toContain(SECRET.toLowerCase())
  expect(text).not.toContain('c2lnbmF0dXJlb2Z0aGlz')
  expect(text).toContain('[masked]')
})

test.each([
  '203.0.113.7 - - "GET /shop/?page=2&orderby=price&utm_source=mail HTTP/2.0" 200 512 "-" "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)"',
  'PHP Fatal error:  Uncaught Error: Call to undefined function slider() in /srv/www/shop/public/wp-content/plugins/slider/slider.php:7',
  '2026/03/01 09:30:00 [error] 7#7: *1 access forbidden by rule, client: 203.0.113.7, server: shop.example, request: "GET /.env HTTP/1.1", host: "shop.example"',
  'PHP Warning:  Undefined array key "title" in /srv/www/shop/public/wp-content/themes/shop/functions.php on line 12',
  '"GET /wp-content/uploads/2026/03/a-keyboard.jpg?ver=6.4&keyword=monkeys HTTP/2.0"',
  'GET /tag/password-managers/ HTTP/2.0',
])('leaves a line without a secret as it is: %s', (line) => {
  expect(masked(line)).toBe(line)
})

test('masks only the value of a parameter', () => {
  expect(masked('"GET /?a=1&token=x%20y&b=2 HTTP/2.0"')).toBe(
    '"GET /?a=1&token=[masked]&b=2 HTTP/2.0"',
  )
})

const parts = fc.constantFrom(
  ...['token', '=', '&', '?', ' ', '"', "'", ':', '/', '@', '%3D', '%26', '[', ']', '=>', '\\'],
  ...[
    'Cookie',
    'Basic',
    'eyJ',
    '.',
    '-',
    '_',
    'key',
    '(',
    ')',
    'wp_signon',
    '$2y$',
    '\n',
    'ä',
    '😀',
  ],
)

test('masks any line in little time, and again without a change', () => {
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 2000 }), (words) => {
      const once = masked(words.join(''))
      expect(masked(once).length).toBeLessThanOrEqual(
        once.length + '[masked]'.length * words.length,
      )
    }),
    runs(100),
  )
})

test('shows control characters and changes of direction', () => {
  expect(visible('a\u001b[2Jb\u0000\u009bc\u202ed\te\nf\rg\u2028')).toBe(
    'a\\x1b[2Jb\\x00\\x9bc\\u{202e}d\te\nf\\x0dg\\u{2028}',
  )
})

test('leaves no control character in any text', () => {
  forAll(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
    expect(visible(text)).not.toMatch(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u)
  })
})
