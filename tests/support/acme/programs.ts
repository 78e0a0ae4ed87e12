import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Background, background, run, type Switch } from '#tests/support/lab/index.ts'
import type { Files } from './certificate.ts'

export type AcmeOptions = {
  /** How long an issued certificate lasts, in seconds; default 90 days. */
  validity_s?: number
  /** How many requests are refused for their nonce, as real directories do at times; default 5. */
  nonce_reject_percent?: number
}

const PATH = '/usr/sbin:/usr/bin:/sbin:/bin'

/** The name server of the hosts, on port 53 as their resolv.conf expects. */
export async function startNames({ netns, address }: Switch): Promise<Background> {
  const { stderr } = await run(['pebble-challtestsrv', '-help'])
  const argv = ['pebble-challtestsrv', '-defaultIPv4', '', '-defaultIPv6', '']
  argv.push('-dns01', `${address}:53`, '-management', `${address}:8055`)
  argv.push('-http01', '', '-https01', '', '-tlsalpn01', '')
  if (/^\s+-doh /m.test(stderr)) argv.push('-doh', '')
  return background(['ip', 'netns', 'exec', netns, ...argv], { PATH })
}

/** Validates at once (by default pebble waits some seconds) and on the real ports. */
export async function startDirectory(
  { netns, address, folder }: Switch,
  { certificate, key }: Files,
  { validity_s = 90 * 86_400, nonce_reject_percent = 5 }: AcmeOptions,
): Promise<Background> {
  const config = join(folder, 'acme', 'pebble.json')
  const pebble = {
    listenAddress: `${address}:14000`,
    managementListenAddress: `${address}:15000`,
    certificate,
    privateKey: key,
    httpPort: 80,
    tlsPort: 443,
    ocspResponderURL: '',
    externalAccountBindingRequired: false,
    certificateValidityPeriod: validity_s,
  }
  await writeFile(config, JSON.stringify({ pebble }))
  const argv = ['pebble', '-config', config, '-dnsserver', `${address}:53`]
  const settings = {
    PEBBLE_VA_NOSLEEP: '1',
    // Every order is validated: by default, half of the former validations are used again.
    PEBBLE_AUTHZREUSE: '0',
    PEBBLE_WFE_NONCEREJECT: `${nonce_reject_percent}`,
  }
  return background(['ip', 'netns', 'exec', netns, ...argv], { PATH, ...settings })
}
