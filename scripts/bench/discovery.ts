import { fail } from '#scripts/lib/fail.ts'
import * as lab from '#tests/support/lab/index.ts'
import { startLayoutHost } from '#tests/support/system/layouts/host.ts'
import { FILL } from '#tests/support/system/trouble.ts'
import { report } from './lib/figure.ts'

const SITES = 1000
const PROMISED_MS = 3000
const MAX_MB = 512

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
 * Exits with status 1 if it takes more than 3 seconds or 512 MB, or misses a site. Needs root and
 * an idle machine: `nginx -T`, which the agent does not wait for, is measured to compare machines.
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
  console.log(`plain    ${plain.toFixed(0)} ms for the files of ${SITES} sites`)
  console.log(`nginx -T ${dump.toFixed(0)} ms`)
  console.log(`cold     ${cold.ms.toFixed(0)} ms for GET /sites, ${cold.sites} sites`)
  console.log(`warm     ${warm.ms.toFixed(0)} ms`)
  console.log(`ratio    ${(cold.ms / plain).toFixed(1)} cold, ${(warm.ms / plain).toFixed(1)} warm`)
  console.log(`memory   ${peak.toFixed(0)} MB at its peak`)
  report({ name: 'GET /sites, cold', unit: 'ms', ours: cold.ms, at_most: PROMISED_MS })
  report({ name: 'memory', unit: 'MB', ours: peak, at_most: MAX_MB })
  if (cold.ms > PROMISED_MS || cold.sites !== SITES || peak > MAX_MB)
    throw new Error('finding the sites costs more than promised')
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

await main()
  .finally(lab.switchDown)
  .then(() => process.exit(0), fail)
