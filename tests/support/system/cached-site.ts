import type { ObjectCacheView } from '#shared/object-cache/api/object-cache.ts'
import * as lab from '#tests/support/lab/index.ts'
import { offerMore } from '#tests/support/lab/install-more.ts'
import { type Suite, suites } from '#tests/support/lab/suites.ts'
import { endOf } from './dashboard.ts'
import { type Enrolled, startWithShop } from './enrolled.ts'
import { SHOP } from './prepared.ts'
import { wpCli } from './wp-cli.ts'

/** Calls of the object cache of WordPress, and their answers: with and without a drop-in the same. */
const OPERATIONS = String.raw`<?php
// Each call and its answer; the same for every object cache.
$o = new stdClass; $o->a = [1, 'x' => null];
$did = [];
$do = function ($name, ...$args) use (&$did) { $did[] = [$name, $args[0] ?? null, $name(...$args)]; };
$do('wp_cache_flush');
foreach ([1, -3, 0, '12', 'text', '', 1.5, true, false, null, [], ['a' => ['b' => null]], $o] as $at => $value) {
  $do('wp_cache_set', "k$at", $value, 'g');
  $do('wp_cache_get', "k$at", 'g');
  $do('wp_cache_get', "k$at", 'g', true);
  $found = null; wp_cache_get("k$at", 'g', true, $found); $did[] = $found;
  $do('wp_cache_add', "k$at", 'again', 'g');
  $do('wp_cache_replace', "k$at", $value, 'g', 60);
  $do('wp_cache_incr', "k$at", 2, 'g');
  $do('wp_cache_get', "k$at", 'g', true);
  $do('wp_cache_decr', "k$at", 100, 'g');
  $do('wp_cache_delete', "k$at", 'g');
  $do('wp_cache_delete', "k$at", 'g');
  $do('wp_cache_get', "k$at", 'g');
}
$do('wp_cache_add', 'new', 5, 'g'); $do('wp_cache_incr', 'new', 3, 'g'); $do('wp_cache_decr', 'none', 1, 'g');
$do('wp_cache_replace', 'none', 1, 'g'); $do('wp_cache_get', 'none');
foreach (['', ' ', 0, '0', 7] as $key) { $do('wp_cache_set', $key, 'v'); $do('wp_cache_get', $key); $do('wp_cache_get', $key, ''); }
$do('wp_cache_set_multiple', ['a' => 1, 'b' => 'two', 3 => [3]], 'm');
$do('wp_cache_get_multiple', ['a', 'b', 3, 'c'], 'm'); $do('wp_cache_get_multiple', ['a', 'b', 3, 'c'], 'm', true);
$do('wp_cache_add_multiple', ['a' => 9, 'z' => 26], 'm'); $do('wp_cache_delete_multiple', ['b', 'y'], 'm');
$do('wp_cache_get_multiple', ['a', 'b', 'z'], 'm', true);
$do('wp_cache_set', 'x:y', 1, 'a'); $do('wp_cache_set', 'y', 2, 'a:x'); $do('wp_cache_get', 'x:y', 'a', true); $do('wp_cache_get', 'y', 'a:x', true);
$do('wp_cache_set', 'p', 1, 'a*'); $do('wp_cache_flush_group', 'a*'); $do('wp_cache_get', 'p', 'a*'); $do('wp_cache_get', 'x:y', 'a', true);
wp_cache_add_non_persistent_groups(['temp']); $do('wp_cache_set', 't', $o, 'temp'); $do('wp_cache_get', 't', 'temp', true); $do('wp_cache_incr', 't', 1, 'temp');
$do('wp_cache_replace', 'u', 1, 'temp'); $do('wp_cache_add', 'u', 1, 'temp'); $do('wp_cache_delete', 'u', 'temp'); $do('wp_cache_flush_group', 'temp'); $do('wp_cache_get', 't', 'temp');
$o->a = 'changed'; wp_cache_set('o', $o, 'g'); $o->a = 'later'; $do('wp_cache_get', 'o', 'g'); wp_cache_get('o', 'g')->a = 'by a reader'; $do('wp_cache_get', 'o', 'g');
wp_suspend_cache_addition(true); $do('wp_cache_add', 's', 1); $do('wp_cache_add_multiple', ['s' => 1]); wp_suspend_cache_addition(false);
foreach (['add_multiple', 'get_multiple', 'flush_group', 'flush_runtime', 'other'] as $what) $do('wp_cache_supports', $what);
$do('wp_cache_close'); $do('wp_cache_flush'); $do('wp_cache_get', 'a', 'm');
echo json_encode($did, JSON_PARTIAL_OUTPUT_ON_ERROR), "\n";
`

const { domain: DOMAIN } = SHOP
/** The packages of programs of object caches, with their clients. */
export const OBJECT_CACHES = { bookworm: 'redis-tools', trixie: 'valkey-tools' }
const CLIENTS = { bookworm: 'redis-cli', trixie: 'valkey-cli' }

/** A site on a server whose package source has the program of object caches, not yet installed. */
export class CachedSite {
  readonly suite: Suite
  #world: Enrolled | undefined
  id = 0
  user = ''

  constructor(suite: Suite) {
    this.suite = suite
  }

  get world(): Enrolled {
    if (!this.#world) throw new Error('the server did not start')
    return this.#world
  }

  get host(): lab.Host {
    return this.world.host
  }

  async start(): Promise<void> {
    const { suite } = this
    const { world, shop } = await startWithShop(suite)
    this.#world = world
    this.id = shop.id
    this.user = shop.user
    await offerMore(world.host, suite, [OBJECT_CACHES[suite]])
  }

  get docroot(): string {
    return `/srv/www/${this.user}/public`
  }
  get content(): string {
    return `${this.docroot}/wp-content`
  }
  get dropIn(): string {
    return `${this.content}/object-cache.php`
  }
  get unit(): string {
    return `hosting-objects@${this.user}.service`
  }
  /** Its path in the API. */
  get at(): string {
    return this.world.path(`/sites/${this.id}/object-cache`)
  }

  bash(text: string): Promise<string> {
    return this.host.must(['bash', '-c', text])
  }

  wp(...args: string[]): Promise<string> {
    return wpCli(this.host, this, suites[this.suite].php, args)
  }

  /** What every object cache answers to the same calls. */
  async operations(): Promise<string> {
    await this.host.put('/srv/operations.php', OPERATIONS)
    return this.wp('eval-file', '/srv/operations.php')
  }

  set(body: { memory: number | null }) {
    return this.world.dashboard.stream('POST', this.at, body)
  }

  async shown(): Promise<ObjectCacheView> {
    const { status, body } = await this.world.dashboard.call('GET', this.at)
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
    return body.object_cache as ObjectCacheView
  }

  /** A page that PHP builds. */
  page(path: string): Promise<string> {
    return lab.must([
      ...['ip', 'netns', 'exec', this.host.netns, 'curl', '-s', '--fail', '-b', 'wordpress_x=1'],
      ...['-H', `Host: ${DOMAIN}`, `http://127.0.0.1${path}`],
    ])
  }

  /** Runs a command of the client as the site. */
  async client(command: string): Promise<string> {
    const client = `${CLIENTS[this.suite]} -s $(echo /run/hosting-objects/*/objects.sock)`
    return this.bash(`runuser -u ${this.user} -- ${client} ${command} 2>&1`)
  }

  async isRunning(): Promise<boolean> {
    return (await this.host.exec(['systemctl', 'is-active', '--quiet', this.unit])).code === 0
  }

  async settings(body: object): Promise<void> {
    const { dashboard, path } = this.world
    const events = await dashboard.stream('PATCH', path(`/sites/${this.id}/settings`), body)
    if (events.at(-1)?.event !== 'complete') throw new Error(JSON.stringify(events.at(-1)))
  }

  /** The id of a new post, whose address is its title. */
  async publish(title: string): Promise<string> {
    await this.wp('rewrite', 'structure', '/%postname%/')
    const post = [`--post_title=${title}`, '--post_status=publish', '--porcelain']
    return (await this.wp('post', 'create', ...post)).trim()
  }

  anonymous(path: string): Promise<string> {
    return lab.must([
      ...['ip', 'netns', 'exec', this.host.netns, 'curl', '-s', '--fail'],
      ...['-H', `Host: ${DOMAIN}`, `http://127.0.0.1${path}`],
    ])
  }

  /** Requests it, and looks whether it was stored. */
  async isCached(path: string): Promise<boolean> {
    await this.anonymous(path)
    return this.isStored(path)
  }

  /** Whether the page cache has the page; nginx is not asked. */
  async isStored(path: string): Promise<boolean> {
    const key = `KEY: httpGET${DOMAIN}${path}`
    const argv = ['grep', '-rlxaF', '-e', key, `/var/cache/hosting/${this.user}`]
    return (await this.host.exec(argv)).code === 0
  }

  /** Writes a message to the socket of the listener as the site. */
  async send(text: string): Promise<void> {
    const php = `php${suites[this.suite].php}`
    const path = (await this.bash('echo /run/hosting-purge/*.sock')).trim()
    const code = `$s = stream_socket_client('udg://${path}'); fwrite($s, stripcslashes($argv[1]));`
    await this.host.must(['runuser', '-u', this.user, '--', php, '-r', code, '--', text])
  }

  /** The outcomes of the attacks on the sockets of a neighbour. */
  async attacks(): Promise<(string | undefined)[]> {
    const { dashboard, path } = this.world
    const events = await dashboard.stream('POST', path('/isolation-check'))
    const results = events.at(-1)?.data.results as { id: string; outcome: string }[]
    return ['sockets.objects', 'sockets.purge'].map(
      (wanted) => results.find(({ id }) => id === wanted)?.outcome,
    )
  }

  /** Starts a change of the site, and waits for its end. */
  async change(method: string, below: string, body: object = {}): Promise<void> {
    const { dashboard, path } = this.world
    const answer = await dashboard.call(method, path(`/sites/${this.id}${below}`), body)
    if (answer.status !== 200) await endOf(dashboard, answer)
  }
}
