import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Machine } from './machine.ts'
import type { Settings } from './options.ts'
import { CHALLENGES, SELF_SIGNED, SETTINGS } from './paths.ts'

/** A certificate is the paths of two PEM files. */
export interface Certificate {
  certificate: string
  key: string
}

export const nameOf = ({ domain }: Pick<Settings, 'domain'>) => `hosting-control-${domain}`

const ofCertbot = (settings: Settings): Certificate => ({
  certificate: `/etc/letsencrypt/live/${nameOf(settings)}/fullchain.pem`,
  key: `/etc/letsencrypt/live/${nameOf(settings)}/privkey.pem`,
})

export const isIssued = (settings: Settings) => existsSync(ofCertbot(settings).certificate)

/** Issues a certificate by certbot, which renews it; port 80 must serve `CHALLENGES`. */
export async function issue(machine: Machine, settings: Settings): Promise<Certificate> {
  const { domain, email, acme_directory } = settings
  if (!isIssued(settings)) machine.log(`Requesting a certificate for ${domain}`)
  const contact = email === '' ? ['--register-unsafely-without-email'] : ['--email', email]
  const server = acme_directory === '' ? [] : ['--server', acme_directory]
  await machine.run([
    ...['certbot', 'certonly', '--non-interactive', '--agree-tos', ...contact, ...server],
    ...['--webroot', '--webroot-path', CHALLENGES, '--domain', domain],
    ...['--cert-name', nameOf(settings), '--keep-until-expiring'],
    ...['--deploy-hook', 'systemctl reload nginx'],
  ])
  return ofCertbot(settings)
}

/** Creates a certificate that is valid for ten years; created again for another domain. */
export async function selfSigned(machine: Machine, settings: Settings): Promise<Certificate> {
  const { domain } = settings
  const { certificate, key } = SELF_SIGNED
  const known = await readFile(certificate, 'utf8').catch(() => undefined)
  if (known !== undefined && new X509Certificate(known).checkHost(domain)) return SELF_SIGNED
  machine.log(`Creating a certificate for ${domain}`)
  await machine.folder(SETTINGS)
  await machine.run([
    ...['openssl', 'req', '-x509', '-nodes', '-newkey', 'ec'],
    ...['-pkeyopt', 'ec_paramgen_curve:P-256'],
    ...['-days', '3650', '-subj', `/CN=${domain}`, '-addext', `subjectAltName=DNS:${domain}`],
    ...['-keyout', key, '-out', certificate],
  ])
  await machine.run(['chmod', '600', key])
  return SELF_SIGNED
}

/** Throws the problem with the files of `--tls files`. */
export async function checkFiles({ domain, certificate, key }: Settings, now = Date.now()) {
  const read = (option: string, path: string) =>
    readFile(path, 'utf8').catch(() => {
      throw new Error(`${option} ${path} cannot be read`)
    })
  const parsed = parse(await read('--certificate', certificate))
  const key_text = await read('--key', key)
  if (!parsed) throw new Error(`--certificate ${certificate} is not a certificate in PEM`)
  if (!parsed.checkHost(domain)) throw new Error(`the certificate is not for ${domain}`)
  if (Date.parse(parsed.validTo) < now) throw new Error(`the certificate expired ${parsed.validTo}`)
  if (!parsed.checkPrivateKey(createPrivateKey(key_text)))
    throw new Error(`--key ${key} does not belong to the certificate`)
}

function parse(text: string): X509Certificate | undefined {
  try {
    return new X509Certificate(text)
  } catch {
    return undefined
  }
}
