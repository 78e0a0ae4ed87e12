// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { switchOffProgram } from '#agent/features/wordpress/separate/switch-off-program.ts'
import { hashOf } from '#tests/support/agent/staging.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { BLOG, MailWorld, PORT, RULES, SHOP } from '#tests/support/system/mail-world.ts'
import { get } from '#tests/support/system/requests.ts'
import { wpCli } from '#tests/support/system/wp-cli.ts'

const MINUTES = 60_000
const SITE = { ...BLOG, docroot: `/srv/www/${BLOG.user}/public` }
const STAGING = { of: SHOP.domain, user: 'staging', password_hash: hashOf('letmein') }
const RECORD = `/var/lib/hosting-agent/sites/${SITE.domain}.json`

/** As a visit, as a plugin for SMTP, and as one that sends by HTTP. */
const LOOK = `<?php
require __DIR__ . '/wp-load.php';
$smtp = fn($mailer) => [$mailer->isSMTP(), $mailer->Host = '127.0.0.1', $mailer->Port = ${PORT}];
$sent = wp_mail('ann@example.org', 'by a visit', 'Words');
add_action('phpmailer_init', $smtp, PHP_INT_MAX);
$smtp_sent = wp_mail('ann@example.org', 'by SMTP', 'Words');
$services = ['https://api.mailgun.net/v3/x', 'https://api-m.paypal.com/v2/checkout'];
$refused = array_map(fn($url) => wp_remote_get($url)->get_error_code(), $services);
$key = ['headers' => ['Authorization' => 'Basic ' . base64_encode('sk_live_1:')]];
$refused[] = wp_remote_post('https://api.stripe.com/v1/charges', $key)->get_error_code();
wp_schedule_single_event(time() - 60, 'hosting_due');
echo json_encode([
  'type' => wp_get_environment_type(), 'sent' => $sent, 'smtp' => $smtp_sent,
  'refused' => $refused, 'ready' => count(wp_get_ready_cron_jobs()),
  'password' => $_SERVER['PHP_AUTH_USER'] ?? $_SERVER['HTTP_AUTHORIZATION'] ?? null,
]);
`

/** Options of a shop, one of which has an object of a class that no plugin defines here. */
const OPTIONS = `<?php
class Odd { public $testmode = 'no'; }
$all = [
  'woocommerce_stripe_settings' => ['enabled' => 'yes', 'title' => 'Card', 'testmode' => 'no', 'secret_key' => 'x'],
  'woocommerce_bacs_settings' => ['enabled' => 'yes', 'title' => 'Bank'],
  'woocommerce_odd_pay_settings' => ['title' => 'Odd', 'enabled' => 'yes', 'more' => new Odd],
  'woocommerce_new_order_settings' => ['enabled' => 'yes', 'recipient' => 'a@b.c', 'email_type' => 'html'],
  'wp_mail_smtp' => ['mail' => ['mailer' => 'smtp', 'from_email' => 'a@b.c'], 'smtp' => ['host' => 'x']],
  'jetpack_private_options' => ['blog_token' => 'secret', 'other' => 1],
  'edd_settings' => 'not an array',
];
foreach ($all as $name => $value) update_option($name, $value);
`
const SHOW = `<?php
global $wpdb;
$names = "'woocommerce_stripe_settings', 'woocommerce_bacs_settings', 'woocommerce_odd_pay_settings',
  'woocommerce_new_order_settings', 'wp_mail_smtp', 'jetpack_private_options', 'edd_settings', 'blog_public'";
$sql = "SELECT option_name, option_value FROM $wpdb->options WHERE option_name IN ($names)";
foreach ($wpdb->get_results($sql, ARRAY_N) as [$name, $value]) $all[$name] = $value;
echo json_encode($all);
`

unless(lab.available()).describe('a staging site', () => {
  let world: MailWorld

  const visit = (path: string, options: string[] = []) =>
    get(world.host, `http://${SITE.domain}${path}`, { options })
  const WITH = ['--user', 'staging:letmein']

  beforeAll(async () => {
    world = await MailWorld.start('trixie')
    const relay = { host: '127.0.0.1', port: PORT, tls: 'none', user: '', password: '' }
    await world.startRelay()
    await world.done('mail.apply', { ...RULES, relay })
    const record = JSON.parse(await world.host.must(['cat', RECORD]))
    await world.host.put(RECORD, JSON.stringify({ ...record, staging: STAGING }), 0o600)
    await world.done('site.update', { domain: SITE.domain, tier: 'medium' })
    await world.plant(SITE, 'look.php', LOOK)
    // Workers of nginx with the former configuration answer for a moment.
    await world.until('nginx asks', async () => (await visit('/')).status === 401)
  }, 10 * MINUTES)
  afterAll(() => world?.stop(), 5 * MINUTES)

  const isProtected = async () => {
    const refused = await visit('/')
    expect([refused.status, refused.headers]).toEqual([
      401,
      expect.stringContaining('x-robots-tag: noindex, nofollow'),
    ])
    expect((await visit('/', ['--user', 'staging:wrong'])).status).toBe(401)
    expect((await visit('/wp-includes/css/buttons.css')).status).toBe(401)
    const shown = await visit('/', WITH)
    expect([shown.status, shown.headers]).toEqual([
      200,
      expect.stringContaining('x-robots-tag: noindex, nofollow'),
    ])
    expect(shown.headers).not.toContain('x-cache')
    expect((await visit('/wp-json/', WITH)).status).toBe(200)
    const robots = await visit('/robots.txt')
    expect([robots.status, robots.body]).toEqual([200, 'User-agent: *\nDisallow: /\n'])
  }

  test('asks for its password, and tells search engines to stay away', async () => {
    await isProtected()
    const shop = await get(world.host, `http://${SHOP.domain}/`)
    expect([shop.status, shop.headers.includes('x-robots-tag')]).toEqual([200, false])
    const seen = `/proc/self/root/etc/hosting/staging/${SITE.user}.htpasswd`
    await world.plant(SITE, 'peek.php', `<?php echo json_encode(@file_get_contents('${seen}'));`)
    expect((await visit('/peek.php', WITH)).body).toBe('false')
  })

  test('keeps its mail, calls no mail or payment service, and runs no jobs', async () => {
    await world.until('the queue knows', async () => (await world.status(SITE.user)) !== undefined)
    expect(JSON.parse((await visit('/look.php', WITH)).body)).toEqual({
      ...{ type: 'staging', sent: true, smtp: false, ready: 0, password: null },
      refused: ['staging_site', 'staging_site', 'staging_site'],
    })
    await world.until('it is kept', async () => (await world.status(SITE.user))?.caught === 1)
    expect(world.subjects).toEqual([])
    const units = await world.host.must(['systemctl', 'list-timers', '--plain'])
    expect(units).not.toContain(SITE.user)
    expect(units).toContain(SHOP.user)
  })

  test('switches off payments, mail services and accounts, and nothing else', async () => {
    const run = async (text: string) => {
      await world.plant(SITE, '../tmp/run.php', text)
      const argv = ['--skip-plugins', 'eval-file', `/srv/www/${SITE.user}/tmp/run.php`]
      return wpCli(world.host, SITE, '8.4', argv)
    }
    await run(OPTIONS)
    const before = JSON.parse(await run(SHOW))

    expect((await run(switchOffProgram())).split('\n').filter(Boolean)).toEqual([
      ...['search engines', 'Stripe', 'WP Mail SMTP', 'Jetpack'],
      ...['payment method odd_pay', 'payment method stripe'],
    ])

    const change = (name: string, from: string, to: string) => before[name].replace(from, to)
    expect(JSON.parse(await run(SHOW))).toEqual({
      ...before,
      blog_public: '0',
      woocommerce_stripe_settings: change(
        'woocommerce_stripe_settings',
        's:3:"yes";s:5:"title";s:4:"Card";s:8:"testmode";s:2:"no"',
        's:2:"no";s:5:"title";s:4:"Card";s:8:"testmode";s:3:"yes"',
      ),
      woocommerce_odd_pay_settings: change('woocommerce_odd_pay_settings', 's:3:"yes"', 's:2:"no"'),
      wp_mail_smtp: change('wp_mail_smtp', 's:4:"smtp";s:10', 's:4:"mail";s:10'),
      jetpack_private_options: 'a:1:{s:5:"other";i:1;}',
    })
    expect(await run(switchOffProgram())).toBe('')
  })

  test('a change of PHP, of the mail settings and a stay in the trash keep all of it', async () => {
    const { domain } = SITE
    await world.done('site.update', { domain, tier: 'small', xmlrpc: false })
    await world.done('mail.apply', { ...RULES, domain, relay: null })
    await world.done('site.delete', { domain })
    await world.done('site.restore', { domain })
    await isProtected()
    await world.until('the queue listens', async () => {
      await visit('/look.php', WITH)
      return ((await world.status(SITE.user))?.caught ?? 0) > 1
    })
    expect(world.subjects).toEqual([])
    const units = await world.host.must(['systemctl', 'list-timers', '--plain'])
    expect(units).not.toContain(SITE.user)
  })

  test('has another password from its change on', async () => {
    const { domain } = SITE
    await world.done('staging.password', { domain, password_hash: hashOf('another') })
    const status = async (word: string) => (await visit('/', ['--user', `staging:${word}`])).status

    await world.until('nginx asks for it', async () => (await status('letmein')) === 401)
    expect(await status('another')).toBe(200)
  })
})
