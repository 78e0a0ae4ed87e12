import { type Host, must, polled } from '#tests/support/lab/index.ts'

export const TLS = { key: '/srv/tls/key.pem', certificate: '/srv/tls/certificate.pem' }

/** Gives the host a key and a self-signed certificate for its address; returns the certificate. */
export async function certify(host: Host): Promise<string> {
  await host.must(['install', '-d', '/srv/tls'])
  await host.must([
    ...['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
    ...['-noenc', '-days', '365', '-subj', '/CN=storage'],
    ...['-addext', `subjectAltName=IP:${host.address}`],
    ...['-keyout', TLS.key, '-out', TLS.certificate],
  ])
  return host.must(['cat', TLS.certificate])
}

/** A service that starts now and at each boot. */
export async function serve(host: Host, name: string, argv: readonly string[]): Promise<void> {
  const words = argv.map((word) => `"${word.replaceAll('%', '%%')}"`).join(' ')
  const lines = ['[Unit]', 'StartLimitIntervalSec=0', '[Service]', `ExecStart=${words}`]
  const unit = [...lines, '[Install]', 'WantedBy=multi-user.target', '']
  await host.put(`/etc/systemd/system/${name}.service`, unit.join('\n'))
  await host.must(['systemctl', 'enable', '--quiet', '--now', `${name}.service`])
}

/** Waits until the service listens on the port; throws like `ready`. */
export async function listening(host: Host, name: string, port: number): Promise<void> {
  const connect = ['bash', '-c', `exec 3<>/dev/tcp/127.0.0.1/${port}`]
  await ready(host, name, async () => (await host.exec(connect)).code === 0)
}

/** Waits until the service is ready. Throws its journal if it ends before, or takes too long. */
export async function ready(
  host: Host,
  name: string,
  isReady: () => Promise<boolean>,
): Promise<void> {
  const isActive = async () => (await host.exec(['systemctl', 'is-active', name])).code === 0
  const settled = async () => {
    if (await isReady()) return 'ready'
    return (await isActive()) ? undefined : 'ended'
  }
  const state = await polled(settled, { every_ms: 50 })
  if (state === 'ready') return
  await host.exec(['journalctl', '--sync'])
  const journal = await host.exec(['journalctl', '--no-pager', '-n', '40', '--unit', name])
  throw new Error(`${name} on ${host.name} ${state ?? 'is not ready'}:\n${journal.stdout}`)
}

/** Puts the folder on a disk of this size until the next boot, to fill it. */
export async function limitDisk(host: Host, path: string, megabytes?: number): Promise<void> {
  if (megabytes === undefined) return
  await host.must(['mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path])
}

/** Runs a program of this machine on the network of the host. */
export const onNetwork = (host: Host, argv: readonly string[]) =>
  must(['ip', 'netns', 'exec', host.netns, ...argv])
