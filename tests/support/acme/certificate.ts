import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { must } from '#tests/support/lab/index.ts'

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

export type Files = { ca: string; certificate: string; key: string }

/** Debian's pebble has no certificate for itself: a root of our own, and one for `address`. */
export async function makeCertificate(folder: string, address: string): Promise<Files> {
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

export const readPem = (file: string) => readFile(file, 'utf8')
