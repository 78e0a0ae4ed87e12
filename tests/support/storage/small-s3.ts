import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { must } from '#tests/support/lab/run.ts'

/** A bucket in memory: lists, reads, writes and deletes objects, and checks the digests of bodies. */
export async function startSmallS3() {
  const folder = await mkdtemp(join(tmpdir(), 's3-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  await must([
    ...['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
    ...['-noenc', '-days', '2', '-subj', '/CN=storage'],
    ...['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert],
  ])
  const ca = await Bun.file(cert).text()
  const objects = new Map<string, string>()
  const tls = { key: await Bun.file(key).text(), cert: ca }
  const server = createServer(tls, async (request, response) => {
    const { status, text } = answerOf(objects, request, await bodyOf(request))
    response.writeHead(status).end(text)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const bucket = {
    ...{ kind: 's3' as const, url: `https://127.0.0.1:${port}`, bucket: 'backups', ca },
    ...{ prefix: 'sites', region: 'us-east-1', user: 'KEY', secret: 'secret' },
  }
  const stop = async () => {
    server.close()
    await rm(folder, { recursive: true })
  }
  return { bucket, objects, stop }
}

function answerOf(objects: Map<string, string>, request: IncomingMessage, body: string) {
  const { pathname, searchParams } = new URL(request.url ?? '', 'https://storage')
  const name = decodeURIComponent(pathname.replace('/backups', '').slice(1))
  const { authorization = '', 'x-amz-content-sha256': sha256 } = request.headers
  const isSigned = authorization.startsWith('AWS4-HMAC-SHA256 Credential=KEY/')
  if (!isSigned || sha256 !== createHash('sha256').update(body).digest('hex')) {
    return { status: 403, text: '<Error><Code>SignatureDoesNotMatch</Code></Error>' }
  }
  if (request.method === 'PUT') {
    const md5 = createHash('md5').update(body).digest('base64')
    if (request.headers['content-md5'] !== md5) return { status: 400, text: '' }
    objects.set(name, body)
  }
  if (request.method === 'DELETE') objects.delete(name)
  if (request.method !== 'GET') return { status: 200, text: '' }
  if (name === '') return { status: 200, text: listOf(objects, searchParams.get('prefix') ?? '') }
  return { status: objects.has(name) ? 200 : 404, text: objects.get(name) ?? '' }
}

function listOf(objects: Map<string, string>, prefix: string): string {
  const listed = [...objects].filter(([key]) => key.startsWith(prefix))
  const contents = listed.map(
    ([key, { length }]) =>
      `<Contents><Key>${key}</Key><LastModified>2026-01-01T00:00:00Z</LastModified><Size>${length}</Size></Contents>`,
  )
  return `<ListBucketResult>${contents.join('')}</ListBucketResult>`
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
