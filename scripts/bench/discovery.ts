import * as lab from '#tests/support/lab/index.ts'
import { startLayoutHost } from '#tests/support/system/layouts/host.ts'
import { FILL } from '#tests/support/system/trouble.ts'
import { benchmark, report } from './lib/benchmark.ts'

const SITES = Number(process.env.SITES ?? 1000)

/** Reads the files that discovery needs; prints the milliseconds of that, and of nginx -T. */
const PLAIN = `
$start = hrtime(true);
$config = '';
foreach (glob('/etc/nginx/{nginx.conf,conf.d/*,snippets/*,sites-enabled/*}', GLOB_BRACE) as $path)
  $config .= file_get_contents($path);
preg_match_all('/^  root (.*);$/m', $config, $roots);
foreach ($roots[1] as $root) {
  foreach (['', '/wp-includes', '/wp-content/plugins', '/wp-content/themes'] as $path) stat($root . $path);
  foreach (['plugins', 'themes'] as $kind) scandir("$root/wp-content/$kind");
  foreach (['wp-includes/version.php', 'wp-config.php', 'wp-content/plugins/one/one.php', 'wp-content/themes/one/style.css'] as $path) file_get_contents("$root/$path");
  $n = substr(basename($root), 4);
  file_get_contents("/etc/ssl/site$n/fullchain.pem");
  file_get_contents("/etc/php/8.2/fpm/pool.d/site$n.conf");
}
$end = hrtime(true);
shell_exec('nginx -T -q 2>/dev/null');
echo ($end - $start) / 1e6, ' ', (hrtime(true) - $end) / 1e6;
`

/**
 * Finds 1,000 WordPress sites with TLS on a real nginx server, with a newly started agent, and
 * reads the necessary files for comparison: the configuration, and the same files of each site.
 * Fails if it misses a site. Needs root and an idle machine: `nginx -T`, which the agent does not wait
 * for, is measured to compare machines.
 */
async function main(): Promise<void> {
  const host = await startLayoutHost()
  await host.must(['bash', '-eu', '-c', FILL, 'fill', String(SITES)], { timeout_ms: 300_000 })
  await host.must(['systemctl', 'restart', 'nginx', 'php8.2-fpm'])
  // Files that an agent has read are cached by the kernel.
  await host.must(['systemctl', 'restart', 'hosting-agent'])
  const health = ['curl', '-sf', 'http://127.0.0.1:8440/health']
  await lab.poll(async () => (await host.exec(health)).code === 0, { timeout_ms: 60_000 })
  const [plain = 0, dump = 0] = (await host.must(['php', '-r', PLAIN], { timeout_ms: 60_000 }))
    .split(' ')
    .map(Number)
  const cold = await listed(host)
  const warm = await listed(host)
  const pid = (await host.must(['systemctl', 'show', '-P', 'MainPID', 'hosting-agent'])).trim()
  const status = await host.must(['cat', `/proc/${pid}/status`])
  const peak = Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) / 1024
  if (cold.sites !== SITES) throw new Error(`${cold.sites} sites were found`)
  console.log(`ms: ${JSON.stringify({ files: plain, 'nginx -T': dump, warm: warm.ms })}`)
  report('GET /sites, cold', cold.ms, 'ms', { at_most: 3000 })
  report('memory', peak, 'MB', { at_most: 512 })
}

async function listed(host: lab.Host): Promise<{ ms: number; sites: number }> {
  const start = performance.now()
  const answer = await host.must(['curl', '-sSf', 'http://127.0.0.1:8440/sites'])
  const { sites } = JSON.parse(answer)
  return { ms: performance.now() - start, sites: wordpressIn(sites) }
}

const wordpressIn = (sites: { framework: string; php: string; tls: string }[]) =>
  sites.filter(
    ({ framework, php, tls }) =>
      framework === 'wordpress' && php === '8.2' && tls === 'letsencrypt',
  ).length

await benchmark(main, lab.switchDown)
