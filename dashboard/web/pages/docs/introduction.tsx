import type { ApiDocument } from '#dashboard/web/api/openapi.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Answers } from './answers.tsx'
import { callsOf } from './operations.ts'
import { Prose } from './prose.tsx'
import { Sample } from './sample.tsx'

/** Rules for every call, and the first steps. */
export function Introduction({ document }: { document: ApiDocument }) {
  return (
    <div className="flex min-w-0 flex-col gap-5">
      <Prose text={document.info.description} />
      <Sample label="the first lines" text={exampleOf(location.origin)} />
      <Card title="Errors" flush>
        <Answers document={document} responses={failuresOf(document)} />
      </Card>
    </div>
  )
}

function failuresOf(document: ApiDocument) {
  const all = callsOf(document).flatMap(({ responses }) => Object.entries(responses))
  return Object.fromEntries(all.filter(([status]) => status >= '400'))
}

const exampleOf = (origin: string) => `# A session, kept in a file
curl -c jar -H 'Content-Type: application/json' '${origin}/api/auth/login' \\
  -d '{"email": "you@example.com", "password": "…"}'
curl -b jar '${origin}/api/servers'

# Or an API token, created once: it expires after 90 days, and has the scope read, operate or admin
curl -b jar -H 'Content-Type: application/json' '${origin}/api/auth/tokens' \\
  -d '{"name": "my script", "scope": "operate", "password": "…"}'
TOKEN=hc_…
curl -H "Authorization: Bearer $TOKEN" '${origin}/api/servers'`
