import { createHash, createHmac } from 'node:crypto'
import { request } from 'node:https'
import type { Clock } from '#agent/kernel/host/ports.ts'
import type { StoreSettings } from '#agent/programs/keeper/config.ts'
import { clockAdvice, withClockAdvice } from '#shared/backups/clock-errors.ts'

export type Bucket = Extract<StoreSettings, { kind: 's3' }>

type NowClock = Pick<Clock, 'now'>

export interface S3Object {
  key: string
  size: number
  at: number
}

const MAX_BYTES = 64 * 2 ** 20
const TIMEOUT_MS = 60_000

/** Lists the objects whose keys begin with the prefix, and prefixes up to `delimiter`. */
export async function listObjects(
  clock: NowClock,
  bucket: Bucket,
  { prefix, delimiter }: { prefix: string; delimiter?: string },
): Promise<{ objects: S3Object[]; prefixes: string[] }> {
  const objects: S3Object[] = []
  const prefixes: string[] = []
  let token = ''
  do {
    const query = new URLSearchParams({ 'list-type': '2', prefix })
    if (delimiter !== undefined) query.set('delimiter', delimiter)
    if (token !== '') query.set('continuation-token', token)
    const text = (await callS3(clock, bucket, 'GET', `?${query}`)).toString('utf8')
    for (const entry of allElements(text, 'Contents')) {
      const at = Date.parse(firstElement(entry, 'LastModified'))
      objects.push({
        key: firstElement(entry, 'Key'),
        size: Number(firstElement(entry, 'Size')),
        at,
      })
    }
    prefixes.push(
      ...allElements(text, 'CommonPrefixes').map((entry) => firstElement(entry, 'Prefix')),
    )
    token = firstElement(text, 'NextContinuationToken')
  } while (token !== '')
  return { objects, prefixes }
}

export const readObject = (clock: NowClock, bucket: Bucket, key: string): Promise<Buffer> =>
  callS3(clock, bucket, 'GET', `/${pathOf(key)}`)

/** Writes a small object. A bucket with object lock demands its digest. */
export async function putObject(
  clock: NowClock,
  bucket: Bucket,
  key: string,
  content: string | Buffer,
): Promise<void> {
  const digest = createHash('md5').update(content).digest('base64')
  await callS3(clock, bucket, 'PUT', `/${pathOf(key)}`, { 'content-md5': digest }, content)
}

/** Deletes an object. In a bucket with versions it stays; `version` removes that one. */
export async function deleteObject(
  clock: NowClock,
  bucket: Bucket,
  key: string,
  version?: string,
): Promise<void> {
  const query = version === undefined ? '' : `?${new URLSearchParams({ versionId: version })}`
  await callS3(clock, bucket, 'DELETE', `/${pathOf(key)}${query}`)
}

/** An object, or a marker that hides the earlier versions of one. */
export interface ObjectVersion {
  key: string
  version: string
  at: number
  is_latest: boolean
  is_marker: boolean
}

export async function listVersions(
  clock: NowClock,
  bucket: Bucket,
  prefix: string,
): Promise<ObjectVersion[]> {
  const found: ObjectVersion[] = []
  let next = { key: '', version: '' }
  do {
    const query = new URLSearchParams({ prefix, versions: '' })
    if (next.key !== '') query.set('key-marker', next.key)
    if (next.version !== '') query.set('version-id-marker', next.version)
    const text = (await callS3(clock, bucket, 'GET', `?${query}`)).toString('utf8')
    for (const name of ['Version', 'DeleteMarker']) {
      found.push(
        ...allElements(text, name).map((entry) => versionIn(entry, name === 'DeleteMarker')),
      )
    }
    next = {
      key: firstElement(text, 'NextKeyMarker'),
      version: firstElement(text, 'NextVersionIdMarker'),
    }
  } while (next.key !== '')
  return found
}

const versionIn = (entry: string, is_marker: boolean): ObjectVersion => ({
  key: firstElement(entry, 'Key'),
  version: firstElement(entry, 'VersionId'),
  is_marker,
  at: Date.parse(firstElement(entry, 'LastModified')),
  is_latest: firstElement(entry, 'IsLatest') === 'true',
})

/** Makes a version the newest one by a copy. */
export async function copyVersion(
  clock: NowClock,
  bucket: Bucket,
  { key, version }: Pick<ObjectVersion, 'key' | 'version'>,
): Promise<void> {
  const source = `/${bucket.bucket}/${pathOf(key)}?${new URLSearchParams({ versionId: version })}`
  await callS3(clock, bucket, 'PUT', `/${pathOf(key)}`, { 'x-amz-copy-source': source })
}

const pathOf = (key: string) => key.split('/').map(encodeURIComponent).join('/')

async function callS3(
  clock: NowClock,
  bucket: Bucket,
  method: string,
  path: string,
  more: Record<string, string> = {},
  sentBody: string | Buffer = '',
): Promise<Buffer> {
  const { region, user, secret, ca } = bucket
  const url = `${bucket.url.replace(/\/$/, '')}/${bucket.bucket}${path}`
  const at = { region, now: new Date(clock.now()) }
  const headers = signed({ key: user, secret }, { method, url, headers: more, body: sentBody }, at)
  const trust = ca === '' ? {} : { ca }
  const { status, body } = await new Promise<{ status: number; body: Buffer }>(
    (resolve, reject) => {
      const sent = request(url, { method, headers, ...trust, timeout: TIMEOUT_MS }, (response) => {
        const chunks: Buffer[] = []
        let size = 0
        response.on('data', (chunk: Buffer) => {
          size += chunk.length
          if (size > MAX_BYTES) sent.destroy(new Error(`${path} is larger than expected`))
          else chunks.push(chunk)
        })
        response.on('error', reject)
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }),
        )
      })
      sent.on('error', (error) => {
        error.message = withClockAdvice(error.message)
        reject(error)
      })
      sent.on('timeout', () => sent.destroy(new Error(`${bucket.url} does not answer`)))
      if (sentBody === '') sent.end()
      else sent.end(sentBody)
    },
  )
  if (status >= 200 && status < 300) return body
  const text = body.toString('utf8')
  const code = firstElement(text, 'Code') || `status ${status}`
  const refusal = `${bucket.url} refused ${method} of ${bucket.bucket}${path}: ${code}`
  const advice = clockAdvice(code)
  const message = advice === undefined ? refusal : `${advice} (${refusal})`
  throw new S3Refused(message, code, firstElement(text, 'Message'))
}

/** Thrown for a refusal; `code` and `detail` are the error of the provider. */
export class S3Refused extends Error {
  readonly code: string
  readonly detail: string

  constructor(message: string, code: string, detail: string) {
    super(message)
    this.code = code
    this.detail = detail
  }
}

const allElements = (text: string, name: string): string[] =>
  [...text.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs'))].map(([, inner = '']) => inner)

const firstElement = (text: string, name: string): string => plain(allElements(text, name)[0] ?? '')

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const plain = (text: string) =>
  text.replace(/&(#x?[0-9a-fA-F]+|\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole)

export interface S3Account {
  key: string
  secret: string
}

export interface S3Request {
  method: string
  url: string
  body?: string | Buffer
  headers?: Record<string, string>
}

const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** Returns the headers of a request with its signature: AWS Signature Version 4, in one chunk. */
export function signed(
  { key, secret }: S3Account,
  { method, url, body = '', headers = {} }: S3Request,
  { region, now }: { region: string; now: Date },
): Record<string, string> {
  const { host, pathname, searchParams } = new URL(url)
  const at = now.toISOString().replace(/[-:]|\.\d+/g, '')
  const day = at.slice(0, 8)
  const digest = sha256(body)
  const all: Record<string, string> = {
    ...headers,
    host,
    'x-amz-content-sha256': digest,
    'x-amz-date': at,
  }
  const names = Object.keys(all).sort()
  const listed = names.join(';')
  const query = [...searchParams]
    .map((pair) => pair.map(encodeURIComponent).join('='))
    .sort()
    .join('&')
  const lines = names.map((name) => `${name}:${all[name]}`)
  const canonical = [method, pathname, query, ...lines, '', listed, digest].join('\n')
  const scope = [day, region, 's3', 'aws4_request']
  const text = ['AWS4-HMAC-SHA256', at, scope.join('/'), sha256(canonical)].join('\n')
  const signing = scope.reduce<string | Buffer>(hmac, `AWS4${secret}`)
  const signature = hmac(signing, text).toString('hex')
  const credential = `${key}/${scope.join('/')}`
  return {
    ...all,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential},SignedHeaders=${listed},Signature=${signature}`,
  }
}
