import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { useDeferredValue } from 'react'
import { type ApiDocument, OPENAPI_PATH, openApiQuery } from '#dashboard/web/api/openapi.ts'
import { ButtonAnchor } from '#dashboard/web/ui/button.tsx'
import { cx } from '#dashboard/web/ui/cx.ts'
import { Input } from '#dashboard/web/ui/field.tsx'
import { Page } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { CallView } from './call.tsx'
import { CallList } from './call-list.tsx'
import { Introduction } from './introduction.tsx'
import { callsOf, groupsOf } from './operations.ts'

/** Every call of the API, from the document that tools read too. */
export function DocsPage() {
  const { data, error, refetch } = useQuery(openApiQuery)
  return (
    <Page
      title="API"
      about={data && `Version ${data.info.version}, OpenAPI 3.1`}
      actions={
        <ButtonAnchor
          href={OPENAPI_PATH}
          download="hosting-control.openapi.json"
          icon={<Download />}
        >
          openapi.json
        </ButtonAnchor>
      }
    >
      <QueryState of={{ data, error, refetch }} rows={8} />
      {data && <Docs document={data} />}
    </Page>
  )
}

/** On a narrow screen either the list or the chosen call. */
function Docs({ document }: { document: ApiDocument }) {
  const { q = '', op } = useSearch({ from: '/inside/docs' })
  const navigate = useNavigate({ from: '/docs' })
  const groups = groupsOf(document, useDeferredValue(q))
  const call = callsOf(document).find(({ operationId }) => operationId === op)
  const search = (text: string) =>
    navigate({
      search: ({ q: _, ...now }) => (text ? { ...now, q: text } : now),
      replace: true,
      resetScroll: false,
    })
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[20rem_minmax(0,1fr)]">
      <nav
        aria-label="Calls"
        className={cx(
          'overflow-hidden rounded-xl border border-line bg-surface lg:sticky lg:top-18 lg:flex lg:max-h-[calc(100dvh-6rem)] lg:flex-col',
          call && 'hidden',
        )}
      >
        <div className="border-b border-line p-3">
          <Input
            type="search"
            aria-label="Search the calls"
            placeholder="Search, such as sites post"
            value={q}
            onChange={(event) => search(event.target.value)}
          />
        </div>
        <div data-list className="overflow-y-auto">
          <CallList groups={groups} op={op} />
        </div>
      </nav>
      <div className={cx('min-w-0', !call && q !== '' && 'hidden lg:block')}>
        {call ? (
          <>
            <BackToAll />
            <CallView key={call.operationId} document={document} call={call} />
          </>
        ) : (
          <Introduction document={document} />
        )}
      </div>
    </div>
  )
}

function BackToAll() {
  return (
    <Link
      to="/docs"
      search={({ op: _, ...now }) => now}
      className="mb-3 inline-block text-accent hover:underline"
    >
      ← All calls
    </Link>
  )
}
