// tier: full
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHash, randomFillSync } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import type { BrowserContext, Page } from 'playwright-core'
import * as lab from '#tests/support/lab/index.ts'
import { must } from '#tests/support/lab/run.ts'
import { polled } from '#tests/support/lab/wait.ts'
import type { Received } from '#tests/support/mail/relay.ts'
import { unless } from '#tests/support/skip.ts'
import { endOf } from '#tests/support/system/dashboard.ts'
import { startInside } from '#tests/support/system/inside.ts'
import { logIn } from '#tests/support/system/log-in.ts'
import { ORIGIN, Owner } from '#tests/support/system/owner/owner.ts'
import { MINUTES } from '#tests/support/system/world.ts'
import { releases } from '#tests/support/turns.ts'

const MB = 1e6
const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj
trailer<</Root 1 0 R>>
%%EOF
`
const SVG =
  '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>\n'

/** One file of each kind that owners upload, by name; written to `folder`. */
async function writeFiles(page: Page, folder: string): Promise<Map<string, string>> {
  const files: Record<string, Uint8Array | string> = {
    'film.mp4': film(30 * MB),
    'photo.jpg': await picture(page, 2400, 1600, 'image/jpeg'),
    'dot.png': await picture(page, 40, 40, 'image/png'),
    'menu.pdf': PDF,
    'logo.svg': SVG,
  }
  const paths = new Map<string, string>()
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name)
    await writeFile(path, content)
    paths.set(name, path)
  }
  return paths
}

/** The head of an MP4 file (ISO/IEC 14496-12), and noise. */
function film(size: number): Uint8Array {
  const head = Buffer.from('00000018667479706d703432000000006d70343269736f6d', 'hex')
  const bytes = Buffer.alloc(size)
  randomFillSync(bytes)
  head.copy(bytes)
  bytes.writeUInt32BE(size - head.length, head.length)
  bytes.write('mdat', head.length + 4, 'latin1')
  return bytes
}

/** Coloured noise, which no format compresses. */
async function picture(page: Page, width: number, height: number, type: string) {
  const encoded = await page.evaluate(
    ([width, height, type]) => {
      const canvas = document.createElement('canvas')
      Object.assign(canvas, { width, height })
      const context = canvas.getContext('2d')
      for (let at = 0; at < 4000; at++) {
        if (!context) throw new Error('no canvas')
        context.fillStyle = `hsl(${(at * 47) % 360} 70% ${20 + (at % 60)}%)`
        context.fillRect((at * 131) % width, (at * 89) % height, 60, 40)
      }
      return canvas.toDataURL(type, 0.9)
    },
    [width, height, type] as const,
  )
  return Buffer.from(encoded.split(',')[1] ?? '', 'base64')
}

/**
 * A shop with WooCommerce's behaviour towards caches: its cookies (WC_Session_Handler,
 * WC_Cart_Session), its pages, a session on the server, and a basket on every page. Only pages with
 * names of their own forbid storing: the server has to know those with WooCommerce's names. It also
 * allows SVG files, as other plugins do, and makes files in all the ways of plugins.
 */
const SHOP = `<?php
/* Plugin Name: Test shop */

const SHOP_PAGES = ['lamp' => 'product', 'cart' => 'cart', 'warenkorb' => 'cart', 'checkout' => 'checkout',
  'my-account' => 'account', 'angebot' => 'quote', 'echo' => 'echo'];

add_filter('upload_mimes', fn($types) => $types + ['svg' => 'image/svg+xml']);

register_activation_hook(__FILE__, function () {
  foreach (SHOP_PAGES as $slug => $kind) {
    wp_insert_post(['post_type' => 'page', 'post_status' => 'publish', 'post_name' => $slug,
      'post_title' => ucfirst($slug), 'post_content' => "[shop_$kind]"]);
  }
  add_rewrite_endpoint('order-received', EP_PAGES);
  flush_rewrite_rules();
});

function shop_cookie(): string { return 'wp_woocommerce_session_' . COOKIEHASH; }
function shop_session(): array {
  $id = strtok($_COOKIE[shop_cookie()] ?? '', '|');
  return $id ? (get_option("shop_session_$id") ?: []) : [];
}
function shop_remember(array $values): void {
  $id = strtok($_COOKIE[shop_cookie()] ?? '', '|') ?: 't_' . bin2hex(random_bytes(15));
  update_option("shop_session_$id", $values + shop_session(), false);
  $_COOKIE[shop_cookie()] = "$id|0|0|x";
  setcookie(shop_cookie(), "$id|0|0|x", ['path' => '/', 'httponly' => true]);
}
function shop_go(string $path): never { wp_safe_redirect(home_url($path)); exit; }

add_action('init', function () {
  add_rewrite_endpoint('order-received', EP_PAGES);
  if (isset($_POST['shop_add'])) {
    shop_remember(['name' => sanitize_text_field($_POST['shop_add']), 'items' => 1]);
    setcookie('woocommerce_items_in_cart', '1', ['path' => '/']);
    setcookie('woocommerce_cart_hash', md5($_POST['shop_add']), ['path' => '/']);
    shop_go('/cart/');
  }
  if (isset($_POST['shop_order'])) {
    $name = shop_session()['name'];
    $user = wp_insert_user(['user_login' => strtolower($name), 'user_pass' => wp_generate_password(), 'display_name' => $name,
      'user_email' => strtolower($name) . '@example.test', 'role' => 'subscriber']);
    wp_set_auth_cookie($user);
    shop_remember(['order' => "order of $name"]);
    foreach (['woocommerce_items_in_cart', 'woocommerce_cart_hash'] as $cookie) setcookie($cookie, '', ['path' => '/', 'expires' => 1]);
    shop_go('/checkout/order-received/7/');
  }
  if (str_starts_with($_SERVER['REQUEST_URI'], '/angebot/')) session_start();
});

add_action('template_redirect', function () { if (is_page('warenkorb')) nocache_headers(); });

function shop_form(string $field, string $label): string {
  return "<form method='post'><input name='$field' aria-label='$field' value='1'><button>$label</button></form>";
}
add_shortcode('shop_product', fn() => '<p>A lamp</p>' . shop_form('shop_add', 'Add to basket'));
add_shortcode('shop_cart', fn() => '<p>In the basket of ' . esc_html(shop_session()['name'] ?? 'nobody') . '</p>');
add_shortcode('shop_checkout', fn() => '<p>' . esc_html((get_query_var('order-received') ? 'Thanks for the ' . (shop_session()['order'] ?? '') :
  'To be paid by ' . (shop_session()['name'] ?? 'nobody'))) . '</p>' . shop_form('shop_order', 'Place order'));
add_shortcode('shop_account', fn() => '<p>Account of ' . esc_html(wp_get_current_user()->display_name ?: 'nobody') . '</p>');
add_shortcode('shop_quote', function () {
  if (isset($_POST['shop_quote'])) $_SESSION['name'] = sanitize_text_field($_POST['shop_quote']);
  return '<p>Offer for ' . esc_html($_SESSION['name'] ?? 'nobody') . '</p>' . shop_form('shop_quote', 'Ask');
});
add_shortcode('shop_echo', fn() => '<p>Asked by ' . esc_html("$_SERVER[REQUEST_METHOD] $_SERVER[REQUEST_URI] (" . http_build_query($_GET) . ')') . '</p>');
add_action('wp_footer', function () {
  if (shop_session()) echo '<p>Basket of ' . esc_html(shop_session()['name']) . '</p>';
});

add_action('init', function () {
  if (($_GET['shop_make'] ?? '') !== '1') return;
  $made = [];
  $put = function (string $name, callable $make) use (&$made) {
    $path = WP_CONTENT_DIR . "/$name";
    $make($path);
    $made[] = "/wp-content/$name";
  };
  $put('uploads/plain.txt', fn($path) => file_put_contents($path, 'plain'));
  // A folder that has lost what it took over from the one above.
  $put('uploads/tight/in.css', function ($path) { mkdir(dirname($path)); chmod(dirname($path), 0750); file_put_contents($path, 'in'); });
  $put('uploads/tight/deep/er.css', function ($path) { wp_mkdir_p(dirname($path)); file_put_contents($path, 'er'); });
  $put('uploads/moved.txt', function ($path) { $draft = tempnam(get_temp_dir(), 'x'); file_put_contents($draft, 'moved'); chmod($draft, 0640); rename($draft, $path); });
  $put('uploads/system.txt', function ($path) { require_once ABSPATH . 'wp-admin/includes/file.php'; WP_Filesystem();
    $GLOBALS['wp_filesystem']->put_contents($path, 'system', FS_CHMOD_FILE); });
  $put('cache/css/one.css', function ($path) { mkdir(dirname($path), 0755, true); file_put_contents($path, 'one'); });
  wp_send_json($made);
});
`

const PACK = `$zip = new ZipArchive();
$zip->open('/root/test-shop.zip', ZipArchive::CREATE);
$zip->addFromString('test-shop/test-shop.php', stream_get_contents(STDIN));
$zip->close();`

/** The archive as a download. */
async function writePlugin({ host, folder, php }: Owner): Promise<string> {
  await host.must([`php${php}`, '-r', PACK], { input: SHOP })
  const encoded = await host.must(['base64', '--wrap=0', '/root/test-shop.zip'])
  const path = join(folder, 'test-shop.zip')
  await writeFile(path, Buffer.from(encoded, 'base64'))
  return path
}

function installsPlugin(owner: () => Owner): void {
  test('a plugin is installed from a zip file, and works', async () => {
    const page = await owner().page()
    await page.goto('/wp-admin/plugin-install.php?tab=upload')
    await page.setInputFiles('input[name=pluginzip]', await writePlugin(owner()))
    await page.click('#install-plugin-submit')
    await page.getByRole('link', { name: 'Activate Plugin' }).click({ timeout: 3 * MINUTES })
    await page.getByText('Plugin activated.').waitFor({ timeout: 3 * MINUTES })

    const { status, body } = await owner().visit('/lamp/')

    expect([status, body.includes('A lamp')]).toEqual([200, true])
  })
}

const KINDS: Record<string, string> = {
  'film.mp4': 'video/mp4',
  'photo.jpg': 'image/jpeg',
  'dot.png': 'image/png',
  'menu.pdf': 'application/pdf',
  'logo.svg': 'image/svg+xml',
}

type Media = {
  id: number
  source_url: string
  media_details: { sizes?: Record<string, { source_url: string }>; original_image?: string }
}

/** The media library as anybody can read it. */
async function listMedia(owner: Owner): Promise<Media[]> {
  const { body } = await owner.visit(`/wp-json/wp/v2/media?per_page=50&at=${Date.now()}`)
  return JSON.parse(body)
}

const holds = (media: readonly Media[], name: string) =>
  media.find(({ source_url }) => source_url.includes(`/${name.split('.')[0]}`))

/** The page links a file while another one is still uploading. */
async function allOf(owner: Owner, names: readonly string[]): Promise<Media[]> {
  let media: Media[] = []
  const whole = async () => {
    media = await listMedia(owner)
    return names.every((name) => holds(media, name))
  }
  await polled(whole, { every_ms: 500, timeout_ms: 3 * MINUTES })
  return media
}

const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** As a visitor. */
async function download({ host }: Owner, url: string) {
  const resolve = ['--resolve', `${new URL(url).hostname}:443:127.0.0.1`]
  const curl = ['curl', '--silent', '--insecure', '--max-time', '60', ...resolve]
  const format = '%{http_code} %{content_type}'
  const into = `/tmp/${host.netns}.download`
  const argv = ['ip', 'netns', 'exec', host.netns, ...curl, '--output', into, '-w', format, url]
  const [status, type] = (await must(argv)).split(' ')
  return { status: Number(status), type, digest: digestOf(await readFile(into)) }
}

function uploads(owner: () => Owner): void {
  test('visitors get every kind of uploaded file byte for byte', async () => {
    const page = await owner().page()
    await page.goto('/wp-admin/media-new.php')
    const files = await writeFiles(page, owner().folder)
    await page.setInputFiles('.moxie-shim input[type=file]', [...files.values()])
    const done = page.locator('.media-item .edit-attachment')
    await done.nth(files.size - 1).waitFor({ timeout: 3 * MINUTES })

    const media = await allOf(owner(), [...files.keys()])

    const named = (name: string) => {
      const found = holds(media, name)
      if (!found) throw new Error(`${name} is not in the library`)
      const { source_url, media_details } = found
      const { original_image = source_url.split('/').at(-1) ?? '' } = media_details
      return new URL(original_image, source_url).href
    }
    for (const [name, path] of files) {
      const got = await download(owner(), named(name))
      const digest = digestOf(await readFile(path))
      expect([name, got]).toEqual([name, { status: 200, type: KINDS[name] ?? '', digest }])
    }
    const sizes = media.flatMap(({ media_details }) => Object.values(media_details.sizes ?? {}))
    expect(sizes.length).toBeGreaterThan(3)
    for (const { source_url } of [...sizes, ...media]) {
      expect([source_url, (await owner().visit(source_url)).status]).toEqual([source_url, 200])
    }
  })
}

function galleries(owner: () => Owner): void {
  test('a post with a gallery, written in the editor, shows its pictures to visitors', async () => {
    const page = await owner().page()
    const pictures = (await listMedia(owner())).filter(({ source_url }) =>
      /\.(jpg|png|webp)$/.test(source_url),
    )
    expect(pictures.length).toBeGreaterThan(1)
    await page.goto('/wp-admin/post-new.php')
    const title = page
      .frameLocator('iframe[name=editor-canvas]')
      .getByRole('textbox', { name: 'Add title' })
    await title.waitFor({ timeout: 3 * MINUTES })
    await page.evaluate(
      // The owner picks pictures in a dialog, which inserts this.
      (pictures) => {
        const { wp } = globalThis as unknown as { wp: Editor }
        wp.data.dispatch('core/preferences').set('core/edit-post', 'welcomeGuide', false)
        const inner = pictures.map(({ id, source_url: url }) =>
          wp.blocks.createBlock('core/image', { id, url }),
        )
        const gallery = wp.blocks.createBlock('core/gallery', {}, inner)
        wp.data.dispatch('core/block-editor').insertBlocks(gallery)
      },
      pictures,
    )
    await title.fill('Summer')
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    const panel = page.getByRole('region', { name: 'Editor publish' })
    await panel.getByRole('button', { name: 'Publish', exact: true }).click()
    await panel.getByRole('link', { name: 'View Post' }).waitFor({ timeout: 3 * MINUTES })

    const visitor = await (await owner().person()).newPage()
    await visitor.goto('/summer/')
    const shown = visitor.locator('.wp-block-gallery img')
    await expect(shown.count()).resolves.toBe(pictures.length)
    for (const one of await shown.all()) await one.scrollIntoViewIfNeeded()
    const widths = () =>
      shown.evaluateAll((all) => all.map((one) => (one as HTMLImageElement).naturalWidth))
    await visitor.waitForFunction(() =>
      [...document.querySelectorAll<HTMLImageElement>('.wp-block-gallery img')].every(
        ({ complete }) => complete,
      ),
    )
    expect((await widths()).filter((width) => width === 0)).toEqual([])
    expect(visitor.url()).toStartWith(ORIGIN)
    await visitor.context().close()
  })
}

interface Editor {
  blocks: { createBlock(name: string, values: object, inner?: unknown[]): unknown }
  data: {
    dispatch(store: string): { set(...args: unknown[]): void; insertBlocks(block: unknown): void }
  }
}

const CUSTOMERS = ['Adalovelace', 'Gracehopper'] as const
const ROUNDS = 2
/** Pages that show the visitor's name, before and after the order. */
const PAGES = ['/', '/lamp/', '/cart/', '/warenkorb/', '/checkout/', '/angebot/', '/my-account/']

/** Faults of a page that `name` sees: another's data, no `name`, or a cached page. */
async function problemsOf(page: Page, path: string, name: string): Promise<string[]> {
  const answer = await page.goto(path, { waitUntil: 'domcontentloaded' })
  const text = (await page.locator('body').textContent()) ?? ''
  const cache = (await answer?.headerValue('x-cache')) ?? ''
  const others = CUSTOMERS.filter((other) => other !== name && text.includes(other))
  return [
    ...others.map((other) => `${name} sees ${other} on ${path}`),
    ...(text.includes(name) ? [] : [`${name} is unknown on ${path}`]),
    ...(cache === 'BYPASS' ? [] : [`${path} for ${name} was ${cache}`]),
  ]
}

async function rounds(page: Page, paths: readonly string[], name: string): Promise<string[]> {
  const problems: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    for (const path of paths) problems.push(...(await problemsOf(page, path, name)))
  }
  return problems
}

/** From the lamp to the receipt. */
async function buys(context: BrowserContext, name: string): Promise<string[]> {
  const page = await context.newPage()
  await page.goto('/lamp/')
  await page.getByLabel('shop_add').fill(name)
  await page.getByRole('button', { name: 'Add to basket' }).click()
  await page.getByText(`In the basket of ${name}`).waitFor()
  await page.goto('/angebot/')
  await page.getByLabel('shop_quote').fill(name)
  await page.getByRole('button', { name: 'Ask' }).click()
  await page.getByText(`Offer for ${name}`).waitFor()
  const before = await rounds(page, PAGES, name)
  await page.goto('/checkout/')
  await page.getByRole('button', { name: 'Place order' }).click()
  await page.getByText(`Thanks for the order of ${name}`).waitFor()
  const after = await rounds(page, ['/checkout/order-received/7/', ...PAGES], name)
  return [...before, ...after]
}

/** Pages that fail for a visitor, or that show a customer's name. */
async function looksOn(owner: Owner, until: Promise<unknown>): Promise<string[]> {
  const problems: string[] = []
  let over = false
  const stop = () => {
    over = true
  }
  until.then(stop, stop)
  while (!over) {
    for (const path of PAGES) {
      const { status, body } = await owner.visit(path)
      const seen = CUSTOMERS.filter((name) => body.includes(name))
      if (status !== 200 || seen.length > 0) problems.push(`${status} ${path}: ${seen.join()}`)
    }
  }
  return problems
}

function sells(owner: () => Owner): void {
  test('two customers at once see their own basket, checkout and account, and visitors see neither', async () => {
    const contexts = await Promise.all(CUSTOMERS.map(() => owner().person()))
    const buying = Promise.all(
      CUSTOMERS.map((name, at) => buys(contexts[at] as BrowserContext, name)),
    )
    const looking = looksOn(owner(), buying)

    expect((await buying).flat()).toEqual([])
    expect(await looking).toEqual([])

    const cacheOf = async (path: string) =>
      /^x-cache: (\w+)/m.exec((await owner().visit(path)).headers)?.[1] ?? ''
    for (const path of ['/cart/', '/checkout/', '/my-account/', '/checkout/order-received/7/']) {
      expect([path, await cacheOf(path), await cacheOf(path)]).toEqual([path, 'bypass', 'bypass'])
    }
    for (const path of ['/warenkorb/', '/angebot/']) {
      expect([path, await cacheOf(path), await cacheOf(path)]).toEqual([path, 'miss', 'miss'])
    }
    await cacheOf('/lamp/')
    expect(await cacheOf('/lamp/')).toBe('hit')
    await Promise.all(contexts.map((context) => context.close()))
  })
}

/** The request as the page received it, and whether the cache answered. */
async function echoed(owner: Owner, path: string, options: string[] = []): Promise<string[]> {
  const { body, headers } = await owner.visit(path, options)
  const said = /Asked by ([^<]*)</.exec(body)?.[1]?.replaceAll('&amp;', '&') ?? ''
  return [said, /^x-cache: (\w+)/m.exec(headers)?.[1] ?? '']
}

function countsClicks(owner: () => Owner): void {
  const plain = 'GET /echo/ ()'

  test('advertising arguments cost no PHP, and are in no page of other visitors', async () => {
    const [said, first] = await echoed(owner(), '/echo/?utm_source=first&fbclid=secret-1')
    expect(String(said)).toBe(plain)
    expect(['miss', 'expired']).toContain(String(first))
    for (const query of ['?gclid=2', '?mc_eid=3&utm_medium=mail&_ga=4', '?', '']) {
      expect([query, await echoed(owner(), `/echo/${query}`)]).toEqual([query, [plain, 'hit']])
    }
    const other = ['GET /echo/?utm_source=x&colour=red (utm_source=x&colour=red)', 'bypass']
    expect(await echoed(owner(), '/echo/?utm_source=x&colour=red')).toEqual(other)
    const sent = await echoed(owner(), '/echo/?utm_source=x', ['--data', 'a=1'])
    expect(sent).toEqual(['POST /echo/?utm_source=x (utm_source=x)', ''])
    const known = await echoed(owner(), '/echo/?fbclid=x', ['--cookie', 'PHPSESSID=none'])
    expect(known).toEqual(['GET /echo/?fbclid=x (fbclid=x)', 'bypass'])

    const visitor = await (await owner().person()).newPage()
    await visitor.goto('/echo/?utm_source=news&fbclid=secret-5')
    const seen = await visitor.evaluate(() => location.search)
    expect([visitor.url(), seen]).toEqual([
      `${ORIGIN}/echo/?utm_source=news&fbclid=secret-5`,
      '?utm_source=news&fbclid=secret-5',
    ])
    expect(await visitor.content()).toContain(plain)
    await visitor.context().close()
  })
}

/** WordPress's complaints about a server without the Internet. */
const OF_THE_LAB = [
  'Could not reach WordPress.org',
  /^Unable to determine the status of the current PHP version/,
  'Background updates may not be working properly',
]

function isHealthy(owner: () => Owner): void {
  test('Site Health reports no problem of the server', async () => {
    const page = await owner().page()
    await page.goto('/wp-admin/site-health.php')
    await page
      .locator('.site-health-progress-wrapper:not(.loading)')
      .waitFor({ timeout: 3 * MINUTES })

    const said = (kind: string) =>
      page
        .locator(`#health-check-issues-${kind} .health-check-accordion-trigger .title`)
        .allTextContents()
    const issues = [...(await said('critical')), ...(await said('recommended'))]
    const known = (issue: string) =>
      OF_THE_LAB.some((one) => (one instanceof RegExp ? one.test(issue) : one === issue))

    expect(issues.filter((issue) => !known(issue.trim()))).toEqual([])
    expect(await said('good')).toEqual(
      expect.arrayContaining([
        'Your site can perform loopback requests',
        'Opcode cache is enabled',
        'Page cache is detected and the server response time is good',
      ]),
    )
  })
}

const PORT = '2525'
const PASSWORD = 'a new one, as long as it has to be'
const RELAY = 'tests/support/system/smtp-relay.ts'

/** The link in the relay's only message. */
async function linkFrom(folder: string): Promise<string> {
  const read = () => readFile(join(folder, 'received'), 'utf8').catch(() => '')
  await lab.poll(async () => (await read()).includes('\n'), { timeout_ms: 3 * MINUTES })
  const { text } = JSON.parse((await read()).split('\n')[0] ?? '') as Received
  return /https:\/\/\S+action=rp\S*/.exec(text.replaceAll('=\r\n', ''))?.[0] ?? ''
}

/** Until a script of the page has not changed the field for a second. */
async function settled(page: Page, field: string): Promise<void> {
  for (let text = ''; ; ) {
    const before = text
    text = await page.inputValue(field)
    if (text !== '' && text === before) return
    await page.waitForTimeout(1000)
  }
}

function resetsPassword(owner: () => Owner): void {
  test('a forgotten password is reset by a link in a mail', async () => {
    const { host, world, folder } = owner()
    const relay = await startInside(
      host.netns,
      [process.execPath, RELAY, PORT, folder],
      /^listening/,
    )
    const setting = { relay: { host: '127.0.0.1', port: Number(PORT), tls: 'none' } }
    const events = await world.dashboard.stream('PUT', world.path('/mail'), setting)
    expect(events.at(-1)?.event).toBe('complete')
    const page = await (await owner().person()).newPage()
    await page.goto('/wp-login.php')
    await page.getByRole('link', { name: 'Lost your password?' }).click()
    // Both forms have fields of the same names.
    await page.waitForURL('**/wp-login.php?action=lostpassword')
    await page.fill('#user_login', owner().login)
    await page.click('#wp-submit')
    await page
      .getByText('Check your email')
      .first()
      .waitFor({ timeout: 3 * MINUTES })

    const link = await linkFrom(folder)
    expect(link).toStartWith(ORIGIN)
    await page.goto(link)
    // Once it can rate it, WordPress puts its own suggestion over any typed text.
    await page.locator('#pass-strength-result.strong').waitFor({ timeout: 3 * MINUTES })
    await settled(page, '#pass1')
    await page.fill('#pass1', PASSWORD)
    await page.click('#wp-submit')
    await page.getByText('Your password has been reset').waitFor({ timeout: 3 * MINUTES })
    await page.goto('/wp-login.php')
    await logIn(page, owner().login, PASSWORD)
    await page.context().close()
    await relay.stop()
  })
}

/** By wp-cli, by a login as the user of the site, and by an unpacked archive. */
const BY_HAND = `umask 027
cd wp-content/uploads
printf hand > hand.txt
mkdir -m 750 sent; printf sent > sent/sent.txt; chmod 640 sent/sent.txt
tar -cf /tmp/by-hand.tar sent --transform s/sent/unpacked/; tar -xpf /tmp/by-hand.tar; rm /tmp/by-hand.tar`
const PATHS = ['hand.txt', 'sent/sent.txt', 'unpacked/sent.txt']

function serves(owner: () => Owner): void {
  const answers = async (paths: readonly string[]) => {
    const all: [string, number][] = []
    for (const path of paths) all.push([path, (await owner().visit(path)).status])
    return all
  }

  test('visitors get files of plugins and people, also after a restore', async () => {
    const { host, site, docroot, world } = owner()
    const made = await owner().visit('/?shop_make=1')
    const drop = ['setpriv', `--reuid=${site.user}`, `--regid=${site.user}`, '--clear-groups']
    const script = ['env', '--chdir', docroot, 'bash', '-euc', BY_HAND]
    await host.must([...drop, '--', ...script])
    const paths = JSON.parse(made.body) as string[]
    paths.push(...PATHS.map((path) => `/wp-content/uploads/${path}`))
    expect(paths).toHaveLength(9)

    expect(await answers(paths)).toEqual(paths.map((path) => [path, 200]))
    for (const [method, path] of [
      ['DELETE', `/sites/${site.id}`],
      ['POST', `/sites/${site.id}/restore`],
    ] as const) {
      const answer = await world.dashboard.call(method, world.path(path))
      expect((await endOf(world.dashboard, answer)).event).toBe('complete')
    }

    expect(await answers(paths)).toEqual(paths.map((path) => [path, 200]))
    const secret = await owner().visit('/wp-content/uploads/../../wp-config.php')
    expect(secret.body).not.toContain('DB_PASSWORD')
  })
}

/** First steps of the owner of a new site, in a real browser; the tests build on each other. */
for (const suite of releases('owner')) {
  unless(lab.available()).describe(`the first hour of an owner on ${suite}`, () => {
    let owner: Owner
    beforeAll(async () => {
      owner = await Owner.start(suite)
    }, 10 * MINUTES)
    afterAll(() => owner?.stop(), 5 * MINUTES)

    installsPlugin(() => owner)
    uploads(() => owner)
    galleries(() => owner)
    sells(() => owner)
    countsClicks(() => owner)
    isHealthy(() => owner)
    resetsPassword(() => owner)
    serves(() => owner)
  })
}
