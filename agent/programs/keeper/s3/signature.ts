import { createHash, createHmac } from 'node:crypto'

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

/** The headers of a request with its signature: AWS Signature Version 4, in one chunk. */
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
    ...{ host, 'x-amz-content-sha256': digest, 'x-amz-date': at },
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
