import type { Answer, ApiDocument, Media } from '#dashboard/web/api/openapi.ts'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { resolveAnswer } from './operations.ts'
import { InlineText } from './prose.tsx'
import { jsonOf, Sample } from './sample.tsx'
import { SchemaTree } from './schema-tree.tsx'

interface AnswersProps {
  document: ApiDocument
  responses: Readonly<Record<string, Answer>>
}

/** The success first and open; errors are closed. */
export function Answers({ document, responses }: AnswersProps) {
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
export function Content({ document, label, media }: ContentProps) {
  return (
    <div className="grid items-start gap-4 xl:grid-cols-2">
      <div className="min-w-0">
        <SchemaTree document={document} schema={media.schema} />
      </div>
      <Sample label={label} text={jsonOf(media.example)} />
    </div>
  )
}
