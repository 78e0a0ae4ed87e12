import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Background,
  background,
  must,
  needPrograms,
  polled,
  run,
  type Switch,
  switchUp,
} from '#tests/support/lab/index.ts'

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

type Files = { ca: string; certificate: string; key: string }

/** Debian's pebble has no certificate for itself: a root of our own, and one for `address`. */
async function makeCertificate(folder: string, address: string): Promise<Files> {
  const file = (name: string) => join(folder, name)
  const [ca, ca_key] = [file('ca.pem'), file('ca.key')]
  const [certificate, key] = [file('directory.pem'), file('directory.key')]
  const request = ['openssl', 'req', '-x509', '-days', '30', ...KEY]
  await must([
    ...request,
    ...['-subj', '/CN=Lab directory root', '-keyout', ca_key, '-out', ca],
    ...['-addext', 'keyUsage=critical,keyCertSign,cRLSign'],
  ])
  await must([
    ...request,
    ...['-CA', ca, '-CAkey', ca_key, '-subj', '/CN=Lab directory'],
    ...['-keyout', key, '-out', certificate],
    ...['-addext', `subjectAltName=IP:${address}`],
    ...['-addext', 'basicConstraints=critical,CA:FALSE'],
  ])
  return { ca, certificate, key }
}

const readPem = (file: string) => readFile(file, 'utf8')

type AcmeOptions = {
  /** How long an issued certificate lasts, in seconds; default 90 days. */
  validity_s?: number
  /** How many requests are refused for their nonce, as real directories do at times; default 5. */
  nonce_reject_percent?: number
}

const PATH = '/usr/sbin:/usr/bin:/sbin:/bin'

/** The name server of the hosts, on port 53 as their resolv.conf expects. */
async function startNames({ netns, address }: Switch): Promise<Background> {
  const { stderr } = await run(['pebble-challtestsrv', '-help'])
  const argv = ['pebble-challtestsrv', '-defaultIPv4', '', '-defaultIPv6', '']
  argv.push('-dns01', `${address}:53`, '-management', `${address}:8055`)
  argv.push('-http01', '', '-https01', '', '-tlsalpn01', '')
  if (/^\s+-doh /m.test(stderr)) argv.push('-doh', '')
  return background(['ip', 'netns', 'exec', netns, ...argv], { PATH })
}

/** Validates at once (by default pebble waits some seconds) and on the real ports. */
async function startDirectory(
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

/**
 * An ACME directory, and the name server of all hosts of this run, at the switch's address. It
 * keeps its state in memory only: a restart has a new issuing root and no accounts.
 */
export type Acme = {
  directory_url: string
  /** Signs the directory's own certificate: a client of the directory has to trust it. */
  ca_pem: string
  /** Signs what the directory issues. */
  issuing_root: () => Promise<string>
  /** Gives `name` this one address, for the hosts and for the directory's validation. */
  resolve: (name: string, address: string) => Promise<void>
  /** The address of its name server's management: `set-txt` and `clear-txt`. */
  names_url: string
  stop: () => Promise<void>
}

/** Starts pebble, installed when missing. Throws what it printed when it does not answer. */
export async function startAcme(options: AcmeOptions = {}): Promise<Acme> {
  await needPrograms({ pebble: 'pebble', openssl: 'openssl', curl: 'curl' })
  const network = await switchUp()
  const { netns, address } = network
  const folder = join(network.folder, 'acme')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const files = await makeCertificate(folder, address)
  const programs = [await startNames(network), await startDirectory(network, files, options)]
  const stop = async () => {
    await Promise.all(programs.map((program) => program.stop()))
  }

  const inside = ['ip', 'netns', 'exec', netns]
  const curl = [...inside, 'curl', '--silent', '--fail', '--noproxy', '*', '--cacert', files.ca]
  const directory_url = `https://${address}:14000/dir`
  const names_url = `http://${address}:8055`
  const answers = async () => {
    const asked = await Promise.all([
      run([...curl, directory_url]),
      run([...curl, '--data', '{"host":"ready."}', `${names_url}/clear-a`]),
    ])
    return asked.every(({ code }) => code === 0)
  }
  if (!(await polled(answers))) {
    await stop()
    throw new Error(`pebble does not answer:\n${programs.map(({ output }) => output()).join('')}`)
  }
  return {
    directory_url,
    names_url,
    ca_pem: await readPem(files.ca),
    issuing_root: () => must([...curl, `https://${address}:15000/roots/0`]),
    resolve: async (name, to) => {
      const host = `${name}.`
      const post = (path: string, body: object) =>
        must([...curl, '--data', JSON.stringify(body), `${names_url}/${path}`])
      await post('clear-a', { host })
      await post('add-a', { host, addresses: [to] })
    },
    stop,
  }
}
