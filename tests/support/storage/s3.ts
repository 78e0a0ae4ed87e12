import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type S3Account, type S3Request, signed } from '#agent/programs/keeper/s3/bucket.ts'
import { type Host, needPrograms } from '#tests/support/lab/index.ts'
import { S3_PORT, startCeph } from './ceph.ts'
import { listening, onNetwork, serve } from './service.ts'

const DOCUMENT = '.github/docs/backups.md'
/** The bucket of the document, and the prefix in it. */
const EXAMPLE = { bucket: 'example-backups', prefix: 'hosting' }

/** Everything but versions and settings: whatever a provider lets an account delete. */
const ALLOWED = ['GetObject', 'PutObject', 'DeleteObject', 'ListBucket', 'GetBucketLocation']

interface Statement {
  Effect: string
  Action: string[]
  Resource: string[]
}

/** A user of RGW, by its name in RGW. The objects of the writer are not the owner's. */
const of = (user: string, statement: Statement) => ({
  ...statement,
  Principal: { AWS: [`arn:aws:iam:::user/${user}`] },
})

const all = (bucket: string, actions: readonly string[]): Statement => ({
  Effect: 'Allow',
  Action: actions.map((action) => `s3:${action}`),
  Resource: [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`],
})

/** What the document lets the access key of servers do. */
async function documented(bucket: string, prefix: string): Promise<Statement[]> {
  const [, text = ''] = (await Bun.file(DOCUMENT).text()).split('The access key needs this policy')
  const [, json = ''] = /```json\n([\s\S]*?)```/.exec(text) ?? []
  const own = json.replaceAll(`${EXAMPLE.bucket}/${EXAMPLE.prefix}/`, `${bucket}/${prefix}/`)
  return JSON.parse(own.replaceAll(EXAMPLE.bucket, bucket)).Statement
}

/** Which accounts may do what in a bucket; `as_documented`: the writer only what servers need. */
async function policyOf(
  { bucket, prefix }: { bucket: string; prefix: string },
  as_documented: boolean,
): Promise<string> {
  const writer = as_documented ? await documented(bucket, prefix) : [all(bucket, ALLOWED)]
  const statements = [...writer.map((each) => of('writer', each)), of('owner', all(bucket, ['*']))]
  return JSON.stringify({ Version: '2012-10-17', Statement: statements })
}

export interface S3Options {
  name?: string
  /** Versions that nobody can delete or change for so many days, the owner of the bucket included. */
  locked_days?: number
  /** The size of its disk, which is in memory. */
  megabytes?: number
  /** The account of servers has the rights of the documentation: it deletes nothing but locks. */
  as_documented?: boolean
}

export interface S3Answer {
  status: number
  body: string
  bytes: Buffer
}

const BUCKET = 'backups'
const PREFIX = 'sites'
/** Owns the bucket. */
export const OWNER: S3Account = { key: 'OWNERKEY', secret: 'owner-secret' }
/** The account of servers: reads, writes and deletes, but deletes no version and sets nothing. */
export const WRITER: S3Account = { key: 'WRITERKEY', secret: 'writer-secret-8c1f5a' }

const lockOf = (days: number) =>
  `<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule><DefaultRetention><Mode>COMPLIANCE</Mode><Days>${days}</Days></DefaultRetention></Rule></ObjectLockConfiguration>`

/**
 * Ceph's S3 gateway with TLS and a bucket, on a host of its own: service `s3`. A kill of this
 * service loses nothing; the objects themselves are in memory, so a power failure loses them.
 */
export async function startS3Server(options: S3Options = {}) {
  const { name = 's3', locked_days, megabytes = 2048, as_documented = false } = options
  await needPrograms({ curl: 'curl' })
  const { host, ca } = await startCeph(name, megabytes)
  await addUser(host, 'owner', OWNER)
  await addUser(host, 'writer', WRITER)
  await serve(host, 's3', ['/usr/bin/radosgw', '-f', '-n', 'client.rgw'])
  await listening(host, 's3', S3_PORT)
  const url = `https://${host.address}:${S3_PORT}`
  const request = (account: S3Account, asked: S3Request) =>
    send(host, account, { ...asked, url: `${url}/${BUCKET}${asked.url}` })
  const asOwner = (asked: S3Request) => request(OWNER, asked)
  const setPolicy = async (given: { as_documented: boolean }) => {
    const body = await policyOf({ bucket: BUCKET, prefix: PREFIX }, given.as_documented)
    await called(asOwner, [{ method: 'PUT', url: '?policy=', body }])
  }
  await called(asOwner, bucketOf(locked_days))
  await setPolicy({ as_documented })
  const place = { kind: 's3' as const, url, bucket: BUCKET, user: WRITER.key, ca }
  return {
    host,
    target: { place: { ...place, prefix: PREFIX, region: 'us-east-1' }, secret: WRITER.secret },
    /** The address is the part after the bucket, such as `/sites/shop/config?versionId=…`. */
    request,
    /** From now on. */
    setPolicy,
    stop: () => host.remove(),
  }
}

async function addUser(host: Host, uid: string, { key, secret }: S3Account): Promise<void> {
  const credentials = ['--access-key', key, '--secret', secret]
  const create = ['user', 'create', '--uid', uid, '--display-name', uid, ...credentials]
  await host.must(['radosgw-admin', '-n', 'client.rgw', ...create], { timeout_ms: 120_000 })
}

function bucketOf(days: number | undefined): S3Request[] {
  const headers = days === undefined ? {} : { 'x-amz-bucket-object-lock-enabled': 'true' }
  return [
    { method: 'PUT', url: '', headers },
    ...(days === undefined ? [] : [{ method: 'PUT', url: '?object-lock=', body: lockOf(days) }]),
  ]
}

/** Throws if a call is refused. */
async function called(
  request: (asked: S3Request) => Promise<S3Answer>,
  calls: readonly S3Request[],
): Promise<void> {
  for (const call of calls) {
    const { status, body } = await request(call)
    if (status >= 300) throw new Error(`${call.method} ${call.url} answered ${status}: ${body}`)
  }
}

/** By curl on the network of the host, which this process is not on. */
async function send(host: Host, account: S3Account, asked: S3Request): Promise<S3Answer> {
  const { method, url, body = '' } = asked
  const folder = await mkdtemp(join(tmpdir(), 's3-request-'))
  const [sent, received] = [join(folder, 'sent'), join(folder, 'received')]
  await Promise.all([Bun.write(sent, body), Bun.write(received, '')])
  const md5 = createHash('md5').update(body).digest('base64')
  const given = { ...(body.length > 0 && { 'content-md5': md5 }), ...asked.headers }
  const at = { region: 'us-east-1', now: new Date() }
  const headers = signed(account, { ...asked, headers: given }, at)
  const lines = Object.entries(headers).flatMap(([key, value]) => ['-H', `${key}: ${value}`])
  const data = body.length > 0 ? ['--data-binary', `@${sent}`] : []
  const answer = ['-o', received, '-w', '%{http_code}', '--max-time', '60']
  const status = await onNetwork(host, [
    ...['curl', '-sSk', '-X', method, ...lines, ...data, ...answer, url],
  ])
  const bytes = Buffer.from(await Bun.file(received).arrayBuffer())
  await rm(folder, { recursive: true })
  return { status: Number(status), body: bytes.toString('utf8'), bytes }
}
