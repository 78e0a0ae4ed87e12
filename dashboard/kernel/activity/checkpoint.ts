import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { type ChainStart, FIRST } from './chain.ts'

/** The state of a chain at a time: its end, and where it begins. */
export interface Checkpoint {
  end: ChainStart
  start: ChainStart
  at: string
}

/** The key that signs checkpoints; only `public_key` (32 bytes) is needed to verify them. */
export interface RecordKey {
  name: string
  public_key: Buffer
  private_key?: KeyObject
}

const PURPOSE = 'hosting-record/1'
/** The DER before the 32 bytes of an Ed25519 key (RFC 8410). */
const PRIVATE_DER = Buffer.from('302e020100300506032b657004220420', 'hex')
const PUBLIC_DER = Buffer.from('302a300506032b6570032100', 'hex')
const ED25519 = Buffer.from([1])
const ID_BYTES = 4

/**
 * Makes the key from the seal-secret, which is outside the database. Rotating the key of the agents
 * does not change it, so that every checkpoint can be verified with one key.
 */
export function recordKeyOf(sealer: { derive(purpose: string): Buffer }): RecordKey {
  const der = Buffer.concat([PRIVATE_DER, sealer.derive(PURPOSE)])
  const private_key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const public_der = createPublicKey(private_key).export({ format: 'der', type: 'spki' })
  const public_key = public_der.subarray(PUBLIC_DER.length)
  const digest = createHash('sha256').update(public_key).digest('hex')
  return { name: `hosting-control/${digest.slice(0, 16)}`, public_key, private_key }
}

/** Returns the text by which others know the key, in the form of C2SP signed notes. */
export function verifierOf({ name, public_key }: RecordKey): string {
  const key = Buffer.concat([ED25519, public_key])
  return `${name}+${idOf({ name, public_key }).toString('hex')}+${key.toString('base64')}`
}

/** Parses the text of `verifierOf`; undefined for any other. */
export function parseVerifier(text: string): RecordKey | undefined {
  const [, name, key] = /^([^\s+]+)\+[0-9a-f]{8}\+(\S+)$/.exec(text) ?? []
  if (name === undefined || key === undefined) return undefined
  const public_key = Buffer.from(key, 'base64').subarray(1)
  return verifierOf({ name, public_key }) === text ? { name, public_key } : undefined
}

/** Signs a checkpoint as a C2SP signed note, whose first three lines are origin, size and hash. */
export function signCheckpoint(key: RecordKey, { end, start, at }: Checkpoint): string {
  const { private_key, name } = key
  if (!private_key) throw new Error('Only the dashboard signs checkpoints')
  const begins = start.seq === 0 ? [] : [`start ${start.seq} ${start.id} ${start.hash}`]
  const lines = [name, end.seq, end.hash, `last ${end.id}`, `time ${at}`, ...begins]
  const text = lines.map((line) => `${line}\n`).join('')
  const signature = Buffer.concat([idOf(key), sign(null, Buffer.from(text), private_key)])
  return `${text}\n— ${name} ${signature.toString('base64')}\n`
}

const NOTE =
  /^(?<text>(?<origin>\S+)\n(?<size>\d+)\n(?<hash>\S+)\nlast (?<last>\d+)\ntime (?<at>\S+)\n(?:start (?<seq>\d+) (?<id>\d+) (?<before>\S+)\n)?)\n— (?<name>\S+) (?<signature>\S+)\n$/

/** Returns the checkpoint in a note; undefined unless this key has signed it. */
export function openCheckpoint(key: RecordKey, note: string): Checkpoint | undefined {
  const parts = NOTE.exec(note)?.groups
  if (!parts || parts.origin !== key.name || parts.name !== key.name) return undefined
  const { text = '', hash = '', at = '', signature = '', before } = parts
  const bytes = Buffer.from(signature, 'base64')
  const der = Buffer.concat([PUBLIC_DER, key.public_key])
  const public_key = createPublicKey({ key: der, format: 'der', type: 'spki' })
  if (!bytes.subarray(0, ID_BYTES).equals(idOf(key))) return undefined
  if (!verify(null, Buffer.from(text), public_key, bytes.subarray(ID_BYTES))) return undefined
  const begins = { seq: Number(parts.seq), id: Number(parts.id), hash: before ?? '' }
  return {
    end: { seq: Number(parts.size), id: Number(parts.last), hash },
    start: before === undefined ? FIRST : begins,
    at,
  }
}

function idOf({ name, public_key }: RecordKey): Buffer {
  const text = Buffer.concat([Buffer.from(`${name}\n`), ED25519, public_key])
  return createHash('sha256').update(text).digest().subarray(0, ID_BYTES)
}
