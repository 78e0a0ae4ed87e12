// tier: gate
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { poll, polled } from '#tests/support/lab/index.ts'
import { suites } from '#tests/support/lab/suites.ts'
import { long } from '#tests/support/runs.ts'
import { unless } from '#tests/support/skip.ts'
import { type Attack, type Tenant, Tenants } from '#tests/support/system/tenants.ts'
import { MINUTES } from '#tests/support/system/world.ts'
import { wpCli } from '#tests/support/system/wp-cli.ts'
import { releases } from '#tests/support/turns.ts'

setDefaultTimeout(10 * MINUTES)

/** Two plugins, one of which has an update. */
const PLUGINS = `mkdir -p wp-content/plugins/alpha
  printf '<?php\\n/* Plugin Name: Alpha\\nVersion: 1.0 */' > wp-content/plugins/alpha/alpha.php
  printf '<?php\\n/* Plugin Name: Beta\\nVersion: 2.0 */' > wp-content/plugins/beta.php
  printf '<?php\\n/* Plugin Name: 0\\nVersion: 2.0 */' > wp-content/plugins/zero.php`
const OFFER = `$offer = (object) ['slug' => 'alpha', 'plugin' => 'alpha/alpha.php', 'new_version' => '1.5'];
  update_option('active_plugins', ['alpha/alpha.php']);
  set_site_transient('update_plugins', (object) ['last_checked' => time(), 'checked' => ['alpha/alpha.php' => '1.0'],
    'response' => ['alpha/alpha.php' => $offer], 'no_update' => [], 'translations' => []]);
  set_site_transient('update_themes', (object) ['last_checked' => time(), 'checked' => ['a' => '1'],
    'response' => [], 'no_update' => [], 'translations' => []]);`

/** An owner's changes to a plain WordPress; PHP edits the configuration. */
const LAYOUTS: Record<string, string> = {
  'a plain one': '',
  'plugins behind a link':
    'mkdir -p ../work/shared; mv wp-content/plugins ../work/shared; ln -s ../../work/shared/plugins wp-content',
  'one plugin behind a link':
    'mkdir -p ../work/shared; mv wp-content/plugins/alpha ../work/shared; ln -s ../../../work/shared/alpha wp-content/plugins',
  'a content folder that is a link':
    'mkdir -p ../work/shared; mv wp-content ../work/shared; ln -s ../work/shared/wp-content .',
  'a content folder that is computed': `mv wp-content content; sed -i "2i define('WP_CONTENT_DIR', dirname(__FILE__) . '/content');" wp-config.php`,
  'a content folder that a function tells': `mkdir -p ../work/far; mv wp-content ../work/far/content; sed -i "2i define('WP_CONTENT_DIR', realpath(__DIR__ . '/../work/far/content'));" wp-config.php`,
  'a configuration behind a link':
    'mkdir -p ../work/shared; mv wp-config.php ../work/shared; ln -s ../work/shared/wp-config.php .',
  'a configuration that includes another': `mkdir -p ../work/shared; mv wp-config.php ../work/shared/real.php; printf "<?php\\nrequire dirname(__DIR__) . '/work/shared/real.php';" > wp-config.php`,
  'an account from a file of variables': `php -r '
    $text = file_get_contents("wp-config.php");
    preg_match_all("/define\\(\\s*.(DB_(?:NAME|USER|PASSWORD)).,\\s*.([^\\x27]*)/", $text, $found, PREG_SET_ORDER);
    foreach ($found as [, $name, $value]) $lines[] = "$name=$value";
    file_put_contents("../work/.env", implode("\\n", $lines));
    $text = preg_replace("/define\\(\\s*.(DB_(?:NAME|USER|PASSWORD)).*/", "define(\\x27$1\\x27, getenv(\\x27$1\\x27));", $text);
    file_put_contents("wp-config.php", str_replace("<?php", "<?php foreach (file(dirname(__DIR__) . \\x27/work/.env\\x27) as \\$line) putenv(trim(\\$line));", $text));'`,
}

function layouts(attack: Attack): void {
  let plain: Awaited<ReturnType<typeof answersOf>>

  test('creates a site with plugins and an available update', async () => {
    const { tenants, evil } = attack
    const { user, docroot } = evil
    const work = docroot.replace(/public$/, 'work')
    // root owns the folder of a site.
    await tenants.host.must(['install', '-d', '-o', user, '-g', user, work])
    await tenants.as(evil, PLUGINS)
    await wp(tenants, evil, ['eval', OFFER])

    const { inventory } = await tenants.scan(evil)
    plain = await answersOf(tenants, evil)

    expect(inventory).toMatchObject({ updates: { plugins: 1, themes: 0 } })
  })

  test('wp-cli and the agent agree on a deployed site with links and an environment file', async () => {
    const { tenants, evil } = attack
    await tenants.host.must(['bash', '-euc', deployed(evil)])
    await tenants.sync()
    const { body } = await tenants.world.dashboard.call('GET', `/api/fleet/sites?q=${FOUND}`)
    const [site] = body.sites as { id: number; framework: string; db_name: string }[]
    if (!site) throw new Error(JSON.stringify(body))
    const synced = async () => {
      await tenants.sync()
      const { body } = await tenants.world.dashboard.call('GET', `/api/fleet/sites/${site.id}`)
      return (body.site as typeof site).db_name === evil.user
    }

    const { inventory, log } = await tenants.scan(site)
    const copy = { ...evil, user: 'deploy', docroot: '/var/www/found/current/web/wp' }

    expect({
      log,
      plugins: inventory.plugins.map(known),
      themes: inventory.themes.map(known),
    }).toEqual({ log, ...(await answersOf(tenants, copy)) })
    expect(inventory.plugins.length).toBe(1)
    expect(await tenants.password(site)).toBe(evil.password)
    expect(await poll(synced, { every_ms: 500, timeout_ms: 180_000 })).toBe(true)
  })

  test.each(Object.entries(LAYOUTS))('wp-cli and the agent agree on %s', async (_, make) => {
    const { tenants, evil } = attack
    await tenants.as(evil, `rm -rf ../work/kept; cp -a . ../work/kept; ${make}`)
    try {
      const { log, inventory } = await tenants.scan(evil)
      // wp-cli refuses a configuration that loads WordPress in another file.
      const found = make.includes('real.php') ? plain : await answersOf(tenants, evil)

      expect({
        log,
        plugins: inventory.plugins.map(known),
        themes: inventory.themes.map(known),
      }).toEqual({ log, ...found })
      expect(inventory).toMatchObject({ updates: { plugins: 1, themes: 0 } })
      expect(await tenants.password(evil)).toBe(evil.password)
    } finally {
      await tenants.as(
        evil,
        'shopt -s dotglob; rm -rf -- * ../work/shared ../work/far ../work/.env; mv ../work/kept/* .',
      )
    }
  })
}

const FOUND = 'found.example.test'

/** Bedrock as deployed by Capistrano; its database is that of another site. */
function deployed({ docroot, user, password, prefix }: Tenant): string {
  const config = `<?php
    foreach (file(dirname(__DIR__) . '/.env') as $line) {
      [$name, $value] = explode('=', trim($line), 2);
      $_ENV[$name] = $value;
    }
    foreach (['DB_NAME', 'DB_USER', 'DB_PASSWORD'] as $name) define($name, $_ENV[$name]);
    define('DB_HOST', 'localhost');
    define('WP_CONTENT_DIR', dirname(__DIR__) . '/web/app');
    $table_prefix = '${prefix}';`
  return `
    useradd --create-home deploy
    release=/var/www/found/releases/1
    mkdir -p $release/web/app/plugins/alpha $release/config /var/www/found/shared
    cp -a ${docroot} $release/web/wp
    rm -r $release/web/wp/wp-content/plugins $release/web/wp/wp-config.php
    mv $release/web/wp/wp-content/themes $release/web/app
    cp ${docroot}/wp-content/plugins/alpha/alpha.php $release/web/app/plugins/alpha/
    cat > $release/config/application.php <<'END'
${config}
END
    printf 'DB_NAME=${user}\nDB_USER=${user}\nDB_PASSWORD=${password}\n' > /var/www/found/shared/.env
    ln -s ../../shared/.env $release/.env
    ln -s releases/1 /var/www/found/current
    echo "<?php require __DIR__ . '/wp/wp-blog-header.php';" > $release/web/index.php
    echo "<?php require_once dirname(__DIR__) . '/config/application.php';
      require_once ABSPATH . 'wp-settings.php';" > $release/web/wp-config.php
    chown -Rh deploy:deploy /var/www/found
    chmod 600 /var/www/found/shared/.env
    cat > /etc/nginx/sites-enabled/found <<'END'
server { listen 80; server_name ${FOUND}; root /var/www/found/current/web; }
END
  `
}

const known = ({ slug, version, active, update }: Record<string, unknown>) => [
  slug,
  version,
  active,
  update ?? null,
]

async function answersOf(tenants: Tenants, site: Tenant) {
  const list = async (kind: string) => {
    const fields = '--fields=name,version,status,update_version'
    const options = ['list', fields, '--format=json', '--skip-update-check']
    const text = await wp(tenants, site, [kind, ...options])
    const entries: Record<string, string>[] = JSON.parse(text)
    return entries
      .filter(({ status }) => !['must-use', 'dropin'].includes(status ?? ''))
      .map(({ name, version, status, update_version }) => [
        name,
        version,
        status === 'active' || status === 'parent',
        update_version || null,
      ])
      .sort()
  }
  return { plugins: await list('plugin'), themes: await list('theme') }
}

const wp = (tenants: Tenants, site: Tenant, args: readonly string[]) =>
  wpCli(tenants.host, site, suites[tenants.suite].php, args)

/** Runs `work` while the wp-config.php of a site has this text. */
async function withConfig<T>(
  { host }: Tenants,
  { docroot, user }: Tenant,
  text: string,
  work: () => Promise<T>,
): Promise<T> {
  const path = `${docroot}/wp-config.php`
  const write = async (content: string) => {
    await host.must(['rm', '-f', path])
    await host.put(path, content, 0o600)
    await host.must(['chown', `${user}:${user}`, path])
  }
  const before = await host.must(['cat', path])
  await write(text)
  return work().finally(() => write(before))
}

/** Prints its password, which the agent requests: `$say` of a list of words. */
const telling = (code: string) =>
  `<?php include 'missing'; ${code} define('DB_PASSWORD', implode(' ', $say));
   require_once ABSPATH . 'wp-settings.php';`

const silent = (code: string) => `<?php include 'missing'; ${code}
  define('DB_PASSWORD', 'told'); require_once ABSPATH . 'wp-settings.php';`

/** None of them has an answer. */
const SILENT = {
  'an endless loop': silent('for (;;);'),
  'an endless loop that hears no signal': silent(
    'pcntl_async_signals(true); foreach (array_diff(range(1, 31), [9, 19]) as $n) @pcntl_signal($n, SIG_IGN); for (;;);',
  ),
  'more and more memory': silent(
    'ini_set("memory_limit", -1); for (;;) $a[] = str_repeat("x", 9e6);',
  ),
  'more and more output': silent('for (;;) echo str_repeat("x", 9e6);'),
  'an exit': silent('exit;'),
  'an exit behind an answer of its own': silent(
    `echo '\\n{"wordpress":true,"constants":{"DB_PASSWORD":"told"}}\\n'; die(0);`,
  ),
  'an exception': silent('throw new Exception("secret");'),
  'a mistake in its syntax': silent('if if'),
  'closed descriptors': silent('foreach (get_resources() as $r) @fclose($r);'),
}

const READS = (victim: Tenant) => [
  `${victim.docroot}/wp-config.php`,
  '/etc/shadow',
  '/etc/nginx/nginx.conf',
  '/etc/hosting-agent/policy.json',
  '/var/lib/hosting-agent/state.json',
  '/proc/1/environ',
]

function unanswered(attack: Attack): void {
  test.each(Object.entries(SILENT))(
    'a configuration with %s is unknown, and does not affect other sites',
    async (_, text) => {
      const { tenants, evil, victim } = attack
      const start = performance.now()
      const [password, other, health] = await withConfig(tenants, evil, text, () =>
        Promise.all([
          tenants.password(evil),
          tenants.password(victim),
          tenants.withHealth(async () => undefined),
        ]),
      )

      expect([password, other, health.bad]).toEqual(['', victim.password, []])
      if (long) expect(performance.now() - start).toBeLessThan(30_000)
      // A background sync may have read the site too.
      const left = () => tenants.host.exec(['pgrep', '-u', evil.user, '-f', 'HostingReader'])
      expect(await poll(async () => (await left()).stdout === '')).toBe(true)
    },
  )
}

function confined(attack: Attack): void {
  test('a configuration starts no process, opens no socket, writes nothing, and reads no file of others', async () => {
    const { tenants, evil, victim } = attack
    const text = telling(
      `
        $say[] = json_encode(@pcntl_fork());
        $say[] = json_encode(is_resource(@proc_open(['id'], [], $pipes)));
        $say[] = json_encode(@shell_exec('id'));
        $say[] = json_encode(@stream_socket_client('tcp://127.0.0.1:22', $a, $b, 2) !== false);
        $say[] = json_encode(@stream_socket_client('unix:///run/mysqld/mysqld.sock', $a, $b, 2) !== false);
        $say[] = json_encode((bool) @file_put_contents(__DIR__ . '/made', 'x'));
        $say[] = json_encode((bool) @file_put_contents('/tmp/made', 'x'));
        foreach (${JSON.stringify(READS(victim))} as $path) $say[] = json_encode(@file_get_contents($path));
        $say[] = json_encode(glob('/srv/www/*'), JSON_UNESCAPED_SLASHES);
        $say[] = json_encode(array_filter(getenv(), fn (\\$name) => !in_array(\\$name, ['PATH', 'LC_ALL', 'HOME']), ARRAY_FILTER_USE_KEY));`.replaceAll(
        '\\$',
        '$',
      ),
    )

    const said = await withConfig(tenants, evil, text, () => tenants.password(evil))

    const no = ['-1', 'false', 'false', 'false', 'false', 'false', 'false']
    const home = JSON.stringify([`/srv/www/${evil.user}`])
    const none = READS(victim).map(() => 'false')
    expect(said).toBe([...no, ...none, home, '[]'].join(' '))
  })
}

const ROOT_LIKE = { DB_USER: 'weak', DB_PASSWORD: 'weak' }

/** A view whose function runs with the rights of its reader, and its traces. */
async function layView({ tenants, evil, victim }: Attack): Promise<void> {
  const rights = 'CREATE VIEW, CREATE ROUTINE, ALTER ROUTINE, EXECUTE'
  const own = evil.user.replaceAll('_', '\\_')
  await tenants.sql(`GRANT ${rights} ON \`${own}\`.* TO '${evil.user}'@'localhost'`)
  await tenants.sql(
    `CREATE TABLE loot (who VARCHAR(200)) ENGINE=MyISAM;
     DELIMITER ;;
     CREATE FUNCTION pwn() RETURNS TEXT SQL SECURITY INVOKER MODIFIES SQL DATA BEGIN
       DECLARE CONTINUE HANDLER FOR SQLEXCEPTION BEGIN END;
       INSERT INTO loot VALUES (CURRENT_USER());
       UPDATE \`${victim.user}\`.\`${victim.prefix}users\` SET user_url = 'http://taken.example';
       RETURN 'x';
     END;;
     DELIMITER ;
     CREATE SQL SECURITY INVOKER VIEW pwn_options AS
       SELECT 'template' AS option_name, pwn() AS option_value;`,
    evil,
  )
}

async function stolen({ tenants, evil, victim }: Attack) {
  const loot = await tenants.sql('SELECT DISTINCT who FROM loot', evil)
  const urls = await tenants.sql(
    `SELECT user_url FROM \`${victim.user}\`.\`${victim.prefix}users\` WHERE user_url LIKE '%taken%'`,
  )
  await tenants.sql('DELETE FROM loot', evil)
  return { ran_as: loot, changed: urls !== '' }
}

/** A listener at DB_HOST that records each connection. */
async function listening(tenants: Tenants, place: string, log: string) {
  const code = `$s = stream_socket_server('${place}') or exit(1); echo "ready\\n";
    while ($c = stream_socket_accept($s, 600)) { file_put_contents('${log}', "came\\n", FILE_APPEND); fclose($c); }`
  const server = tenants.host.spawn(['php', '-r', code])
  if (!(await polled(() => server.output().includes('ready')))) throw new Error(server.output())
  return server
}

function databases(attack: Attack): void {
  test("a view that runs its reader's rights gets no more than those of its own site", async () => {
    const { tenants, evil } = attack
    await layView(attack)

    await tenants.configured(evil, { $table_prefix: 'pwn_' }, async () => {
      await tenants.sync()
      await tenants.scan(evil)
    })

    expect(await stolen(attack)).toEqual({ ran_as: `${evil.user}@localhost`, changed: false })
  })

  test('the same view succeeds where a site has the password of an account with all rights', async () => {
    const { tenants, evil } = attack
    await tenants.sql(
      "CREATE USER weak@localhost IDENTIFIED BY 'weak'; GRANT ALL PRIVILEGES ON *.* TO weak@localhost",
    )
    const values = { $table_prefix: 'pwn_', ...ROOT_LIKE }

    await tenants.configured(evil, values, () => tenants.sync())
    await tenants.sql('DROP USER weak@localhost')

    expect(await stolen(attack)).toEqual({ ran_as: 'weak@localhost', changed: true })
  })

  test("the database of a neighbour and root's account stay closed", async () => {
    const { tenants, evil, victim } = attack
    const known = (await tenants.scan(evil)).inventory.plugins.map(({ active }) => active)
    expect([known.length > 0, known.includes(null)]).toEqual([true, false])
    const tries: Record<string, string>[] = [
      { DB_NAME: victim.user, $table_prefix: victim.prefix },
      { DB_NAME: 'mysql', $table_prefix: 'global_priv_' },
      { DB_NAME: victim.user, $table_prefix: victim.prefix, DB_USER: 'root', DB_PASSWORD: '' },
    ]
    for (const values of tries) {
      const { inventory } = await tenants.configured(evil, values, () => tenants.scan(evil))
      expect(inventory.plugins.map(({ active }) => active)).toEqual(known.map(() => null))
    }
  })

  test('never connects to a database server that a site names', async () => {
    const { tenants, evil } = attack
    const socket = `${evil.docroot}/mysqld.sock`
    const log = '/tmp/came.log'
    const servers = [
      await listening(tenants, 'tcp://127.0.0.1:3307', log),
      await listening(tenants, `unix://${socket}`, log),
    ]
    await tenants.host.must(['chmod', '777', socket])
    const wake = await stopPhp(attack)
    for (const place of ['127.0.0.1:3307', `localhost:${socket}`]) {
      await tenants.configured(evil, { DB_HOST: place }, async () => {
        await tenants.sync()
        const { inventory } = await tenants.scan(evil)
        expect(inventory.plugins.every(({ active }) => active === null)).toBe(true)
      })
    }
    const came = async () => (await tenants.host.exec(['cat', log])).stdout
    expect(await came()).toBe('')

    await tenants.host.exec(['mariadb', '--host=127.0.0.1', '--port=3307', '-e', 'SELECT 1'])
    await tenants.host.exec(['mariadb', `--socket=${socket}`, '-e', 'SELECT 1'])
    expect(await came()).toBe('came\ncame\n')
    for (const server of servers) await server.stop('SIGKILL')
    await wake()
  })

  test('a locked table affects only the answer of its own site', async () => {
    const { tenants, evil, victim } = attack
    const table = `${evil.prefix}options`
    const lock = tenants.asInBackground(evil, [
      ...[
        'mariadb',
        '--unbuffered',
        `--user=${evil.user}`,
        `--password=${evil.password}`,
        evil.user,
      ],
      ...['-e', `LOCK TABLES ${table} WRITE; SELECT 'locked'; SELECT SLEEP(300)`],
    ])
    expect(await poll(() => lock.output().includes('locked'))).toBe(true)

    const { value, bad, worst_ms } = await tenants.withHealth(async () => {
      const took = await tenants.sync()
      const { inventory } = await tenants.scan(evil)
      const other = await tenants.scan(victim)
      const made = await tenants.create('made.example.test')
      return { took, inventory, other, made }
    })

    expect(value.inventory.plugins.every(({ active }) => active === null)).toBe(true)
    expect(value.other.inventory.plugins.every(({ active }) => active !== null)).toBe(true)
    expect(value.made.user).not.toBe('')
    expect(bad).toEqual([])
    if (long) expect([value.took < 30_000, worst_ms < 5000]).toEqual([true, true])
    await lock.stop('SIGKILL')
    console.log(`locked table: sync ${value.took.toFixed(0)} ms, health ${worst_ms.toFixed(0)} ms`)
  })
}

/**
 * Stops PHP of the site, which may connect anywhere and runs for visitors, jobs and health checks.
 * Returns what starts it again.
 */
async function stopPhp({
  tenants: { host },
  evil: { user },
}: Attack): Promise<() => Promise<string>> {
  const starting = [`hosting-fpm@${user}-*.socket`, `hosting-cron@${user}.timer`]
  const list = ['systemctl', 'list-units', '--plain', '--no-legend', ...starting]
  const units = (await host.must(list)).split('\n').flatMap((line) => line.split(' ')[0] || [])
  const running = [`hosting-fpm@${user}-*.service`, `hosting-cron@${user}.service`]
  await host.must(['systemctl', 'stop', ...units, ...running])
  return () => host.must(['systemctl', 'start', ...units])
}

/** SCAN_ENTRIES=1000000 measures the promised size; making them takes a minute. */
const ENTRIES = Number(process.env.SCAN_ENTRIES ?? 60_000)

/**
 * Prints the rights of the scanning process, where three readings in a row agree: one reading can
 * mix the user before a change with the capabilities after it.
 */
const WATCH = `
  $seen = [];
  for ($end = time() + 300; time() < $end; ) {
    $pid = 0;
    foreach (glob('/proc/[0-9]*') as $folder) {
      $argv = @file_get_contents("$folder/cmdline");
      if ($argv === "/usr/local/bin/hosting-agent\\0scan\\0") $pid = $folder;
    }
    for ($times = 0; $pid && $times < 20000 && ($text = @file_get_contents("$pid/status")); $times++) {
      preg_match_all('/^(?:Uid|Gid|Groups|Cap(?:Prm|Eff|Bnd)|NoNewPrivs|Seccomp):(.*)$/m', $text, $found);
      $line = implode(';', array_map(fn ($field) => trim(strtr($field, "\\t", ' ')), $found[1]));
      $same = $line === ($last ?? '') ? $same + 1 : 1;
      $last = $line;
      if ($same < 3 || isset($seen[$line])) continue;
      echo $line, "\\n";
      $seen[$line] = true;
    }
  }`

/** Below plugins: each folder is read. */
const PLUGIN_FOLDERS = [
  [
    'in one folder',
    `for ten in $(seq ${ENTRIES / 10_000}); do mkdir $(seq -f "$ten-%.0f" 10000); done`,
  ],
  [
    'in folders of 10,000',
    `for ten in $(seq ${ENTRIES / 10_000}); do mkdir $ten; (cd $ten; mkdir $(seq 10000)); done`,
  ],
] as const

function trees(attack: Attack): void {
  test.each([
    ['a FIFO', 'mkfifo wp-config.php'],
    ['a socket', `php -r 'stream_socket_server("unix://wp-config.php");'`],
    ['a folder', 'mkdir wp-config.php'],
    ['a link to /etc/passwd', 'ln -s /etc/passwd wp-config.php'],
    ['a link to a device', 'ln -s /dev/zero wp-config.php'],
    ['an endless file', 'truncate --size 1T wp-config.php'],
  ])('%s instead of wp-config.php reveals nothing, and delays nothing', async (_, make) => {
    const { tenants, evil, victim } = attack
    await tenants.as(evil, `mv wp-config.php kept.php; ${make}`)

    const { bad, worst_ms } = await tenants.withHealth(() => tenants.sync())
    let found: string[] = []
    // After a timeout on a busy machine a site is not read for a minute.
    const isRead = async () => {
      const both = [evil, victim].map(async (site) => (await tenants.found(site)).framework)
      found = await Promise.all(both)
      if (found.every((framework) => framework === 'wordpress')) return true
      await tenants.sync()
      return false
    }
    await polled(isRead, { every_ms: 5000, timeout_ms: 3 * MINUTES })
    const password = await tenants.password(evil)
    await tenants.as(evil, 'rm -rf wp-config.php; mv kept.php wp-config.php')

    expect([found, password, bad]).toEqual([['wordpress', 'wordpress'], '', []])
    if (long) expect(worst_ms).toBeLessThan(5000)
  })

  test.each(PLUGIN_FOLDERS)(
    `${ENTRIES} folders of a site, %s, end its scan at its limit, and delay nothing`,
    async (layout, make) => {
      const { tenants, evil, victim } = attack
      await tenants.as(evil, `mkdir -p kept; mv wp-content/plugins kept; mkdir wp-content/plugins`)
      await tenants.as(evil, `cd wp-content/plugins; ${make}`)

      const { value, bad, worst_ms } = await tenants.withHealth(async () => {
        const took = await tenants.sync()
        return { took, scan: await tenants.scan(evil) }
      })
      const { framework } = await tenants.found(victim)
      await tenants.as(evil, 'rm -rf wp-content/plugins; mv kept/plugins wp-content; rmdir kept')

      const { last } = value.scan
      expect({ last, framework, bad }).toMatchObject({
        last: { event: 'complete' },
        ...{ framework: 'wordpress', bad: [] },
      })
      expect(value.scan.log).toContain(
        'Warning: the scan stopped at its limit of 50,000 entries of folders',
      )
      if (long) expect([value.took < 30_000, worst_ms < 5000]).toEqual([true, true])
      const figures = `sync ${value.took.toFixed(0)} ms, health ${worst_ms.toFixed(0)} ms`
      console.log(`${ENTRIES} folders ${layout}: ${figures}`)
    },
  )
}

function identities(attack: Attack): void {
  test('the process that reads a site has its user, and no capability', async () => {
    const { tenants, evil } = attack
    const uid = (await tenants.host.must(['id', '-u', evil.user])).trim()
    const ids = (id: string) => `0 ${id} 0 ${id};0 ${id} 0 ${id};`
    const watch = tenants.host.spawn(['php', '-r', WATCH])
    const lines = () => watch.output().trim().split('\n')
    const isReading = (line: string) => line.startsWith(ids(uid))

    for (const end = Date.now() + 4 * MINUTES; !lines().some(isReading) && Date.now() < end; ) {
      await tenants.sync()
    }
    await watch.stop('SIGKILL')

    // Real, effective, saved and file system user; groups; permitted, effective, bounding set.
    const reads = /^0 ([1-9]\d*) 0 \1;0 ([1-9]\d*) 0 \2;;0+c0;0{16};0+c0;1;2$/
    // Changing from one user to the next; it opens nothing.
    const changes = /^0 0 0 0;0 (\d+) 0 \1;;0+c0;0+(?:c0)?;0+c0;1;2$/
    expect(lines().filter(isReading)).toEqual([expect.stringMatching(reads)])
    expect(lines().filter((line) => !reads.test(line) && !changes.test(line))).toEqual([])
  })
}

const RENAMES = 400_000
/** The scans during the renames, at least. */
const ROUNDS = 3

/**
 * Swaps files and folders of the site with links that lead out of it, to paths that only the
 * programs of a site cannot read.
 */
const SWAP = `
$pairs = ['wp-config.php' => '/etc/nginx/outside/wp-config.php', 'wp-content/plugins' => '/etc/nginx/outside/plugins',
  'wp-content/themes' => '/etc/nginx/outside/themes', 'wp-includes' => '/etc/nginx/outside/wp-includes'];
foreach ($pairs as $path => $target) { @unlink("$path.link"); symlink($target, "$path.link"); }
echo "ready\\n";
for ($done = 0; $done < ${RENAMES} || !is_file('.scanned'); ) foreach ($pairs as $path => $target) {
  rename($path, "$path.own"); rename("$path.link", $path);
  rename($path, "$path.link"); rename("$path.own", $path);
  $done += 4;
}
foreach ($pairs as $path => $target) unlink("$path.link");
unlink('.scanned');
echo "over\\n";`

const OUTSIDE = {
  'wp-config.php': "<?php define('DB_PASSWORD', 'OUTSIDE'); define('DB_NAME', 'OUTSIDE');",
  'plugins/spy/spy.php': '<?php\n/* Plugin Name: OUTSIDE\nVersion: 1 */',
  'themes/spy/style.css': '/*\nTheme Name: OUTSIDE\nVersion: 1\n*/',
  'themes/spy/index.php': '<?php',
  'wp-includes/version.php': "<?php\n$wp_version = '6.6.6-OUTSIDE';\n",
}

function raced(attack: Attack): void {
  test(`${RENAMES} renames and links during scans reveal nothing from outside`, async () => {
    const { tenants, evil } = attack
    for (const [path, text] of Object.entries(OUTSIDE))
      await tenants.host.put(`/etc/nginx/outside/${path}`, text)
    const swap = tenants.asInBackground(evil, ['php', '-r', SWAP])
    await poll(() => swap.output().includes('ready'))
    const answers: string[] = []

    for (let round = 1; !swap.output().includes('over'); round += 1) {
      answers.push(await tenants.password(evil))
      await tenants.sync()
      answers.push(JSON.stringify(await tenants.found(evil)))
      const { log, inventory } = await tenants.scan(evil)
      answers.push(log, JSON.stringify(inventory))
      if (round === ROUNDS) await tenants.as(evil, 'touch .scanned')
    }

    expect(await swap.exited).toBe(0)
    expect(answers.filter((text) => /OUTSIDE|6\.6\.6|spy|root:x/.test(text))).toEqual([])
    expect(await tenants.password(evil)).toBe(evil.password)
  })
}

/** The ids of scanning processes, and their systemd units. */
async function running({ host }: Tenants) {
  const argv = ['pgrep', '--full', '^/usr/local/bin/hosting-agent scan$']
  const { stdout } = await host.exec(argv)
  const list = ['systemctl', 'list-units', '--plain', '--no-legend', 'hosting-scan-*']
  const units = (await host.must(list)).split('\n').filter(Boolean)
  return { pids: stdout.split('\n').filter(Boolean), units: units.length }
}

function replaced(attack: Attack): void {
  test.each(['KILL', 'STOP'])(
    'a process that got SIG%s is replaced, and every site has an answer',
    async (signal) => {
      const { tenants, evil, victim } = attack
      await tenants.sync()
      const before = await running(tenants)
      expect([before.pids.length, before.units]).toEqual([1, 1])
      await tenants.host.must(['kill', `-${signal}`, before.pids[0] ?? ''])

      const { bad, worst_ms } = await tenants.withHealth(() => tenants.sync())

      for (const site of [evil, victim])
        expect((await tenants.found(site)).framework).toBe('wordpress')
      expect(bad).toEqual([])
      if (long) expect(worst_ms).toBeLessThan(5000)
      await poll(async () => (await running(tenants)).units === 1)
      const after = await running(tenants)
      expect([after.pids.length, after.pids[0] === before.pids[0]]).toEqual([1, false])
    },
  )

  test('a process that hangs ends with the agent', async () => {
    const { tenants } = attack
    const [pid = ''] = (await running(tenants)).pids
    await tenants.host.must(['kill', '-STOP', pid])

    await tenants.host.must(['systemctl', 'restart', 'hosting-agent.service'])

    await poll(async () => !(await running(tenants)).pids.includes(pid))
    const synced = async () =>
      tenants.sync().then(
        () => true,
        () => false,
      )
    expect(await poll(synced, { every_ms: 500 })).toBe(true)
  })
}

/** Attacks by a site's files and tables on the agent that reads them. */
for (const suite of releases('scan')) {
  unless(lab.available()).describe(`reading hostile sites on ${suite}`, () => {
    let tenants: Tenants
    let evil: Tenant
    let victim: Tenant
    const attack: Attack = {
      get tenants() {
        return tenants
      },
      get evil() {
        return evil
      },
      get victim() {
        return victim
      },
    }

    beforeAll(async () => {
      tenants = await Tenants.start(suite)
      evil = await tenants.create('evil.example.test')
      victim = await tenants.create('victim.example.test')
    }, 10 * MINUTES)
    afterAll(() => tenants?.stop(), 5 * MINUTES)

    test('finds both sites', async () => {
      for (const site of [evil, victim])
        expect(await tenants.found(site)).toMatchObject({ framework: 'wordpress' })
      expect([evil.password.length > 8, evil.prefix !== '']).toEqual([true, true])
    })

    layouts(attack)
    confined(attack)
    databases(attack)
    identities(attack)
    unanswered(attack)
    trees(attack)
    raced(attack)
    replaced(attack)
  })
}
