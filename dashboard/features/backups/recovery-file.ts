import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
} from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { replaceFile } from '#dashboard/kernel/runtime/files.ts'
import { fingerprintOf, OAEP } from '#dashboard/kernel/trust/recovery-key.ts'

export const RECOVERY = 'recovery.json'

/** The part of the file that everybody can read. */
export interface RecoveryHeader {
  saved_at: string
  /** The fingerprint of the kit that opens it; null: root has confirmed none, and it holds nothing. */
  kit: string | null
  holds: string[]
}

type RecoveryFile = RecoveryHeader & { sealed: SealedText | null }

/** The sealed files: `key` opens `text`, and the kit opens `key`. All are in base64. */
interface SealedText {
  key: string
  iv: string
  text: string
}

const FORMAT = 1
const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16
const MAX_SIZE = 512 << 10

/** Encrypts files of root to a kit: neither the dashboard nor the storage can open the result. */
export function sealFiles(
  files: Record<string, string>,
  public_key: string | undefined,
  now: Date,
): string {
  const header: RecoveryHeader = {
    saved_at: now.toISOString(),
    kit: public_key === undefined ? null : fingerprintOf(public_key),
    holds: public_key === undefined ? [] : Object.keys(files),
  }
  const sealed = public_key === undefined ? null : encrypt(header, files, public_key)
  return `${JSON.stringify({ format: FORMAT, ...header, sealed })}\n`
}

function encrypt(header: RecoveryHeader, files: Record<string, string>, key: string): SealedText {
  const [secret, iv] = [randomBytes(KEY_BYTES), randomBytes(IV_BYTES)]
  const cipher = createCipheriv(CIPHER, secret, iv).setAAD(headerBytes(header))
  const text = Buffer.concat([cipher.update(JSON.stringify(files)), cipher.final()])
  return {
    key: publicEncrypt({ key, ...OAEP }, secret).toString('base64'),
    iv: iv.toString('base64'),
    text: Buffer.concat([text, cipher.getAuthTag()]).toString('base64'),
  }
}

/** Opens the sealed files with the private key of the kit. Throws with the reason. */
export function openFiles(text: string, private_key: string): Record<string, string> {
  const { sealed, ...header } = parse(text)
  const own = fingerprintOf(publicOf(private_key))
  if (sealed === null) throw new Error('The release key and the settings were not saved in it')
  if (header.kit !== own)
    throw new Error(`It was sealed to the recovery kit ${header.kit}, and this one is ${own}`)
  try {
    const secret = privateDecrypt({ key: private_key, ...OAEP }, bytesOf(sealed.key))
    const bytes = bytesOf(sealed.text)
    const end = bytes.length - TAG_BYTES
    const decipher = createDecipheriv(CIPHER, secret, bytesOf(sealed.iv))
    decipher.setAAD(headerBytes(header)).setAuthTag(bytes.subarray(end))
    const opened = Buffer.concat([decipher.update(bytes.subarray(0, end)), decipher.final()])
    return filesIn(JSON.parse(opened.toString('utf8')))
  } catch {
    throw new Error('It is damaged: the recovery kit does not open it')
  }
}

/** Parses the file. Throws for anything else than such a file. */
function parse(text: string): RecoveryFile {
  const value = text.length > MAX_SIZE ? {} : Object(jsonIn(text))
  const { format, saved_at, kit, holds, sealed } = value
  const isText = (each: unknown) => typeof each === 'string'
  const isValid =
    format === FORMAT &&
    !Number.isNaN(Date.parse(isText(saved_at) ? saved_at : '')) &&
    (kit === null || isText(kit)) &&
    Array.isArray(holds) &&
    holds.every(isText) &&
    (sealed === null || [sealed?.key, sealed?.iv, sealed?.text].every(isText))
  if (!isValid) throw new Error('It is not a file of hosting-control save-release-key')
  return { saved_at, kit, holds, sealed }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the header of the file; undefined for anything else than such a file. */
export function headerOf(text: string): RecoveryHeader | undefined {
  try {
    const { sealed: _, ...header } = parse(text)
    return header
  } catch {
    return undefined
  }
}

/** Returns the file in DATA_DIR; undefined where there is none, or it is no such file. */
export async function findRecovery(
  data_dir: string,
): Promise<{ header: RecoveryHeader; text: string } | undefined> {
  const text = await readFile(`${data_dir}/${RECOVERY}`, 'utf8').catch(() => '')
  const header = headerOf(text)
  return header && { header, text }
}

/** Writes the file. Throws for anything else than such a file. */
export async function putRecovery(data_dir: string, text: string): Promise<void> {
  parse(text)
  const draft = `${data_dir}/${RECOVERY}.new`
  await writeFile(draft, text, { mode: 0o600, flush: true })
  await replaceFile(draft, `${data_dir}/${RECOVERY}`)
}

export const publicOf = (private_key: string): string =>
  String(createPublicKey(private_key).export({ type: 'spki', format: 'pem' }))

/** The header as it is sealed: the kit notices a change of it. */
const headerBytes = ({ saved_at, kit, holds }: RecoveryHeader): Buffer =>
  Buffer.from(JSON.stringify([FORMAT, saved_at, kit, holds]))

const bytesOf = (text: string): Buffer => Buffer.from(text, 'base64')

function filesIn(value: unknown): Record<string, string> {
  const entries = Object.entries(Object(value))
  return Object.fromEntries(entries.map(([name, text]) => [name, String(text)]))
}
