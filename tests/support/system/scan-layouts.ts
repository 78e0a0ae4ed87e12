import { expect, test } from 'bun:test'
import { poll } from '#tests/support/lab/index.ts'
import { suites } from '#tests/support/lab/suites.ts'
import type { Attack, Tenant, Tenants } from './tenants.ts'
import { MINUTES } from './world.ts'
import { wpCli } from './wp-cli.ts'

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

export function layouts(attack: Attack): void {
  let plain: Awaited<ReturnType<typeof answersOf>>

  test(
    'creates a site with plugins and an available update',
    async () => {
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
    },
    5 * MINUTES,
  )

  test(
    'wp-cli and the agent agree on a deployed site with links and an environment file',
    async () => {
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
    },
    5 * MINUTES,
  )

  test.each(Object.entries(LAYOUTS))(
    'wp-cli and the agent agree on %s',
    async (_, make) => {
      const { tenants, evil } = attack
      await tenants.as(evil, `rm -rf ../work/kept; cp -a . ../work/kept; ${make}`)
      try {
        const { inventory } = await tenants.scan(evil)
        // wp-cli refuses a configuration that loads WordPress in another file.
        const found = make.includes('real.php') ? plain : await answersOf(tenants, evil)

        expect({
          plugins: inventory.plugins.map(known),
          themes: inventory.themes.map(known),
        }).toEqual(found)
        expect(inventory).toMatchObject({ updates: { plugins: 1, themes: 0 } })
        expect(await tenants.password(evil)).toBe(evil.password)
      } finally {
        await tenants.as(
          evil,
          'shopt -s dotglob; rm -rf -- * ../work/shared ../work/far ../work/.env; mv ../work/kept/* .',
        )
      }
    },
    5 * MINUTES,
  )
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
