import type { ApiDocument, Parameter } from '#dashboard/web/api/openapi.ts'
import { Copy } from '#dashboard/web/ui/copy.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { Answers, Content } from './answers.tsx'
import { curlOf } from './curl.ts'
import { Method } from './method.tsx'
import type { Call } from './operations.ts'
import { Prose } from './prose.tsx'
import { Sample } from './sample.tsx'
import { Field } from './schema-tree.tsx'

const PLACES = { path: 'In the path', query: 'In the query', header: 'Headers' } as const

/** One call: parameters, answers and an example. */
export function CallView({ document, call }: { document: ApiDocument; call: Call }) {
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
