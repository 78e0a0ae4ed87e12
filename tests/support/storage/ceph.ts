import { type Host, startHost } from '#tests/support/lab/index.ts'
import { morePackages } from '#tests/support/lab/more-packages.ts'
import { preparePackaged } from '#tests/support/lab/packaged.ts'
import { certify, listening, ready, serve, TLS } from './service.ts'

/** The S3 gateway of Debian 13 does not start on a cluster in memory. */
const SUITE = 'bookworm'
const PACKAGES = ['ceph-mon', 'ceph-osd', 'radosgw']
const FSID = '7c1d2a5e-0000-4000-8000-000000000001'
const DISK = '7c1d2a5e-0000-4000-8000-000000000002'
const FOLDER = '/srv/ceph'

export const S3_PORT = 7443
const MONITOR_PORT = 3300

/**
 * One monitor and one disk in memory, without authentication: only the host itself reaches them.
 *
 * Version 2 of the protocol: in version 1 without authentication, a program may send a command
 * before it has received the identifier of the cluster. The monitor refuses it ("wrong fsid"), and
 * a starting disk exits. In version 2 the gateway would insist on encryption (`secure`), which needs
 * authentication. The interval is the delay before each change, by default one second.
 */
const settings = (megabytes: number) => `[global]
fsid = ${FSID}
mon host = v2:127.0.0.1:${MONITOR_PORT}
mon initial members = a
public addr = 127.0.0.1
auth cluster required = none
auth service required = none
auth client required = none
ms mon client mode = crc
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
paxos propose interval = 0.05
[osd]
osd data = ${FOLDER}/osd
osd objectstore = memstore
memstore device bytes = ${megabytes * 2 ** 20}
[client.rgw]
rgw frontends = beast ssl_endpoint=0.0.0.0:${S3_PORT} ssl_certificate=${TLS.certificate} ssl_private_key=${TLS.key}
rgw thread pool size = 16
rgw run sync thread = false
`

/** A server with Ceph's packages. Made once on a machine. */
export const cephImage = async () =>
  preparePackaged(SUITE, PACKAGES, await morePackages(SUITE, PACKAGES))

/** Ceph without an S3 gateway on a host of its own: services `ceph-a` and `ceph-disk`. */
export async function startCeph(name: string, megabytes: number) {
  const host = await startHost({ name, suite: SUITE, init: 'systemd', image: await cephImage() })
  const ca = await certify(host)
  await host.put('/etc/ceph/ceph.conf', settings(megabytes))
  for (const folder of ['mon', 'osd']) await host.must(['install', '-d', `${FOLDER}/${folder}`])
  await startMonitor(host)
  await startDisk(host)
  return { host, ca }
}

async function startMonitor(host: Host): Promise<void> {
  const [map, keyring] = [`${FOLDER}/map`, `${FOLDER}/keyring`]
  const address = ['--addv', 'a', `[v2:127.0.0.1:${MONITOR_PORT}]`]
  await host.put(keyring, '')
  await host.must(['monmaptool', '--create', '--fsid', FSID, ...address, map])
  await host.must(['ceph-mon', '--mkfs', '-i', 'a', '--monmap', map, '--keyring', keyring])
  await serve(host, 'ceph-a', ['/usr/bin/ceph-mon', '-f', '-i', 'a'])
  await listening(host, 'ceph-a', MONITOR_PORT)
}

async function startDisk(host: Host): Promise<void> {
  await ceph(host, 'osd', 'new', DISK, '0')
  await host.must(['ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', DISK])
  await serve(host, 'ceph-disk', ['/usr/bin/ceph-osd', '-f', '-i', '0'])
  await ready(host, 'ceph-disk', async () => /\b1 up\b/.test(await ceph(host, 'osd', 'stat')))
}

const ceph = (host: Host, ...args: string[]) =>
  host.must(['ceph', ...args], { timeout_ms: 120_000 })
