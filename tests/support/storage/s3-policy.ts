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
export async function policyOf(
  { bucket, prefix }: { bucket: string; prefix: string },
  as_documented: boolean,
): Promise<string> {
  const writer = as_documented ? await documented(bucket, prefix) : [all(bucket, ALLOWED)]
  const statements = [...writer.map((each) => of('writer', each)), of('owner', all(bucket, ['*']))]
  return JSON.stringify({ Version: '2012-10-17', Statement: statements })
}
