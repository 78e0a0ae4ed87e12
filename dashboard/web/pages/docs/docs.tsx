import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { useDeferredValue } from 'react'
import {
  type Answer,
  type ApiDocument,
  type Media,
  OPENAPI_PATH,
  openApiQuery,
  type Parameter,
} from '#dashboard/web/api/openapi.ts'
import { ButtonAnchor } from '#dashboard/web/ui/button.tsx'
import { Copy } from '#dashboard/web/ui/copy.tsx'
import { cx } from '#dashboard/web/ui/cx.ts'
import { Input } from '#dashboard/web/ui/field.tsx'
import { Card, Page } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { type Call, callsOf, groupsOf, resolveAnswer } from './operations.ts'
import { InlineText, Prose } from './prose.tsx'
import { Field, SchemaTree } from './schema-tree.tsx'

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

/** Rules for every call, and the first steps. */
function Introduction({ document }: { document: ApiDocument }) {
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

interface Group {
  tag: string
  calls: readonly Call[]
}

/** The call in the address may be far down; the page itself does not scroll. */
function show(link: HTMLElement | null): void {
  const list = link?.closest('[data-list]')
  if (!link || !list) return
  const [at, seen] = [link.getBoundingClientRect(), list.getBoundingClientRect()]
  if (at.top < seen.top || at.bottom > Math.min(seen.bottom, innerHeight))
    list.scrollTop += at.top - seen.top - list.clientHeight / 2
}

/** Every matching call by subject, as a link. */
function CallList({ groups, op }: { groups: readonly Group[]; op: string | undefined }) {
  if (groups.length === 0) return <p className="p-4 text-muted">No call has all these words.</p>
  return groups.map(({ tag, calls }) => (
    <section key={tag} aria-label={tag} className="py-2">
      <h2 className="px-4 pb-1 text-xs font-semibold text-muted">{tag}</h2>
      <ul>
        {calls.map(({ operationId, method, summary }) => (
          <li key={operationId}>
            <Link
              to="/docs"
              search={(now) => ({ ...now, op: operationId })}
              {...(op === operationId && { ref: show })}
              className="flex items-baseline gap-2 px-4 py-1.5 hover:bg-sunken aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent"
            >
              <Method name={method} className="w-12 shrink-0" />
              <span className="min-w-0">{summary}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  ))
}

const PLACES = { path: 'In the path', query: 'In the query', header: 'Headers' } as const

/** One call: parameters, answers and an example. */
function CallView({ document, call }: { document: ApiDocument; call: Call }) {
  const { method, path, summary, description, parameters = [], requestBody, responses } = call
  const json = requestBody?.content['application/json']
  return (
    <article aria-labelledby="call" className="flex min-w-0 flex-col gap-5">
      <header className="flex flex-col gap-2">
        <h2 id="call" ref={focus} tabIndex={-1} className="text-lg font-semibold outline-none">
          {summary}
        </h2>
        <p className="flex flex-wrap items-center gap-2">
          <Method name={method} />
          <span className="min-w-0 font-mono break-all">{path}</span>
          <Copy text={path} what="the path" />
          {call.security?.length === 0 && <Badge tone="warn">open to everybody</Badge>}
        </p>
        {description && <Prose text={description} />}
      </header>
      <Sample label="the curl line" text={curlOf(call, location.origin)} />
      {(['path', 'query', 'header'] as const).map((place) => (
        <Parameters
          key={place}
          title={PLACES[place]}
          document={document}
          parameters={parameters.filter((parameter) => parameter.in === place)}
        />
      ))}
      {json && (
        <Card title={requestBody.required ? 'Body' : 'Body, optional'}>
          <Content document={document} label="the example" media={json} />
        </Card>
      )}
      <Card title="Answers" flush>
        <Answers document={document} responses={responses} />
      </Card>
    </article>
  )
}

/** Moves the focus to the chosen call, because a phone hides the list. */
const focus = (heading: HTMLElement | null) => heading?.focus({ preventScroll: true })

interface ParametersProps {
  title: string
  document: ApiDocument
  parameters: readonly Parameter[]
}

function Parameters({ title, document, parameters }: ParametersProps) {
  if (parameters.length === 0) return null
  return (
    <Card title={title}>
      <ul className="-my-2 divide-y divide-line">
        {parameters.map(({ name, required, description, schema }) => (
          <Field
            key={name}
            name={name}
            document={document}
            required={required}
            schema={description === undefined ? schema : { ...schema, description }}
          />
        ))}
      </ul>
    </Card>
  )
}

/** A shell command that makes the call with its example body and a token in `$TOKEN`. */
export function curlOf(
  { method, path, parameters = [], requestBody, ...call }: Call,
  origin: string,
) {
  const filled = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), path)
  const body = requestBody?.content['application/json']?.example
  const flags = [
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...(hasContent(call, /event-stream/) ? ['-N'] : []),
    ...(hasContent(call, /gzip/) ? ['-O'] : []),
  ]
  const isOpen = call.security?.length === 0
  return [
    ['curl', ...flags, quoted(origin + filled)].join(' '),
    ...(isOpen ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]),
  ].join(' \\\n  ')
}

const hasContent = ({ responses }: Pick<Call, 'responses'>, type: RegExp): boolean =>
  Object.values(responses).some(({ content = {} }) =>
    Object.keys(content).some((name) => type.test(name)),
  )

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

const TONES: Record<string, string> = {
  GET: 'text-good',
  POST: 'text-accent',
  PUT: 'text-warn',
  PATCH: 'text-warn',
  DELETE: 'text-bad',
}

function Method({ name, className }: { name: string; className?: string }) {
  return (
    <span className={cx('font-mono text-xs font-semibold', TONES[name], className)}>{name}</span>
  )
}

interface AnswersProps {
  document: ApiDocument
  responses: Readonly<Record<string, Answer>>
}

/** The success first and open; errors are closed. */
function Answers({ document, responses }: AnswersProps) {
  return (
    <ul className="divide-y divide-line">
      {Object.entries(responses).map(([status, answer]) => (
        <li key={status}>
          <OneAnswer document={document} status={status} answer={resolveAnswer(document, answer)} />
        </li>
      ))}
    </ul>
  )
}

interface OneProps {
  document: ApiDocument
  status: string
  answer: Answer
}

function OneAnswer({ document, status, answer }: OneProps) {
  const { description = '', headers = {}, content = {} } = answer
  const names = Object.keys(headers).filter((name) => name !== 'X-Request-Id')
  const isGood = status < '400'
  return (
    <details open={isGood}>
      <summary className="flex cursor-pointer items-baseline gap-3 px-4 py-2.5 hover:bg-sunken">
        <Badge tone={isGood ? 'good' : 'bad'}>{status}</Badge>
        <span className="min-w-0">
          <InlineText text={description} />
        </span>
      </summary>
      <div className="flex flex-col gap-4 px-4 pb-4">
        {names.map((name) => (
          <p key={name}>
            <span className="font-mono text-[0.92em] font-medium">{name}</span>{' '}
            <span className="text-muted">
              <InlineText text={document.components.headers[name]?.description ?? ''} />
            </span>
          </p>
        ))}
        {Object.entries(content).map(([type, media]) => (
          <Body key={type} document={document} type={type} media={media} />
        ))}
      </div>
    </details>
  )
}

function Body({ document, type, media }: { document: ApiDocument; type: string; media: Media }) {
  const events = media['x-events']
  if (events) return <Events document={document} events={events} />
  if (media.example === undefined) return <p className="text-muted">{type}</p>
  return <Content document={document} label="the example" media={media} />
}

function Events({ document, events }: { document: ApiDocument; events: Record<string, Media> }) {
  return (
    <div className="flex flex-col gap-4">
      <p className="text-muted">A stream of events, each with its data as JSON:</p>
      {Object.entries(events).map(([kind, media]) => (
        <div key={kind} className="flex flex-col gap-2">
          <h3 className="font-mono text-[0.92em] font-medium">{kind}</h3>
          <Content document={document} label={`the ${kind} event`} media={media} />
        </div>
      ))}
    </div>
  )
}

interface ContentProps {
  document: ApiDocument
  label: string
  media: Media
}

/** The fields beside an example of them. */
function Content({ document, label, media }: ContentProps) {
  return (
    <div className="grid items-start gap-4 xl:grid-cols-2">
      <div className="min-w-0">
        <SchemaTree document={document} schema={media.schema} />
      </div>
      <Sample label={label} text={jsonOf(media.example)} />
    </div>
  )
}

/** Text to look at and to copy; what is too wide scrolls. */
function Sample({ label, text }: { label: string; text: string }) {
  return (
    <div className="relative min-w-0 rounded-lg border border-line bg-sunken">
      <div className="absolute top-1 right-1 rounded-lg bg-sunken">
        <Copy text={text} what={label} />
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls */}
      <div
        role="group"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="max-h-96 overflow-auto p-3 pr-12"
      >
        <pre className="font-mono text-xs leading-relaxed">{text}</pre>
      </div>
    </div>
  )
}

const jsonOf = (value: unknown): string => JSON.stringify(value, null, 2)
