import { type Host, poll, startHost } from '#tests/support/lab/index.ts'
import { morePackages } from '#tests/support/lab/more-packages.ts'
import { preparePackaged } from '#tests/support/lab/packaged.ts'
import { certify, listening, serve, TLS } from './service.ts'

/** The S3 gateway of Debian 13 does not start on a cluster in memory. */
const SUITE = 'bookworm'
const PACKAGES = ['ceph-mon', 'ceph-osd', 'radosgw']
const FSID = '7c1d2a5e-0000-4000-8000-000000000001'
const DISK = '7c1d2a5e-0000-4000-8000-000000000002'
const FOLDER = '/srv/ceph'

export const S3_PORT = 7443

/** One monitor and one disk in memory, without authentication: only the host itself reaches them. */
const settings = (megabytes: number) => `[global]
fsid = ${FSID}
mon host = v1:127.0.0.1:6789
mon initial members = a
public addr = 127.0.0.1
auth cluster required = none
auth service required = none
auth client required = none
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
log to file = false
[mon]
mon data = ${FOLDER}/mon
[osd]
osd data = ${FOLDER}/osd
osd objectstore = memstore
memstore device bytes = ${megabytes * 2 ** 20}
[client.rgw]
rgw frontends = beast ssl_endpoint=0.0.0.0:${S3_PORT} ssl_certificate=${TLS.certificate} ssl_private_key=${TLS.key}
rgw thread pool size = 16
rgw run sync thread = false
`

/** Ceph without an S3 gateway on a host of its own: services `ceph-a` and `ceph-disk`. */
export async function startCeph(name: string, megabytes: number) {
  const more = await morePackages(SUITE, PACKAGES)
  const image = await preparePackaged(SUITE, PACKAGES, more)
  const host = await startHost({ name, suite: SUITE, init: 'systemd', image })
  const ca = await certify(host)
  await host.put('/etc/ceph/ceph.conf', settings(megabytes))
  for (const folder of ['mon', 'osd']) await host.must(['install', '-d', `${FOLDER}/${folder}`])
  await startMonitor(host)
  await startDisk(host)
  return { host, ca }
}

async function startMonitor(host: Host): Promise<void> {
  const [map, keyring] = [`${FOLDER}/map`, `${FOLDER}/keyring`]
  const address = ['--addv', 'a', '[v1:127.0.0.1:6789]']
  await host.put(keyring, '')
  await host.must(['monmaptool', '--create', '--fsid', FSID, ...address, map])
  await host.must(['ceph-mon', '--mkfs', '-i', 'a', '--monmap', map, '--keyring', keyring])
  await serve(host, 'ceph-a', ['/usr/bin/ceph-mon', '-f', '-i', 'a'])
  await listening(host, 6789)
  await ceph(host, 'mon', 'stat')
}

/**
 * Until it succeeds: the monitor listens before it answers, and refuses some calls with EPERM, or
 * leaves them waiting. Each of these commands may be repeated.
 */
async function ceph(host: Host, ...args: string[]): Promise<string> {
  const attempt = async () => {
    const call = host.exec(['ceph', ...args], { timeout_ms: 20_000 })
    const answer = await call.catch(() => undefined)
    return answer?.code === 0 && answer.stdout
  }
  const stdout = await poll(attempt, { every_ms: 200 })
  if (stdout === undefined) throw new Error(`ceph ${args.join(' ')} does not succeed`)
  return stdout
}

async function startDisk(host: Host): Promise<void> {
  await ceph(host, 'osd', 'new', DISK, '0')
  await host.must(['ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', DISK])
  await serve(host, 'ceph-disk', ['/usr/bin/ceph-osd', '-f', '-i', '0'])
  const place = ['root=default', `host=${host.name}`]
  await ceph(host, 'osd', 'crush', 'add', 'osd.0', '1.0', ...place)
  const isUp = async () => /\b1 up\b/.test(await ceph(host, 'osd', 'stat'))
  if (!(await poll(isUp, { every_ms: 200 }))) throw new Error('the disk of Ceph does not start')
}
