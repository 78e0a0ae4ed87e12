import { useQuery } from '@tanstack/react-query'
import { type ChangeEvent, type FormEvent, useRef, useState } from 'react'
import {
  brandingQuery,
  changeBranding,
  changeLogo,
  deleteLogo,
} from '#dashboard/web/api/reports.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { TextAreaField, TextField } from '#dashboard/web/ui/field.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Failure, QueryState } from '#dashboard/web/ui/states.tsx'
import { useAction, useFormCall } from '#dashboard/web/ui/use-call.ts'
import {
  type Branding,
  LOGO_TYPES,
  MAX_LOGO_KIB,
  MAX_LOGO_PIXELS,
  MIN_LOGO_PIXELS,
  textColorOn,
} from '#shared/reports/api/branding.ts'
import { Letterhead } from './report-document.tsx'

/** How the reports for clients look. */
export function BrandingCard() {
  const { data, error, refetch } = useQuery(brandingQuery)
  return (
    <Card title="Branding">
      <QueryState of={{ data, error, refetch }} rows={4} />
      {data && (
        <div className="flex flex-col gap-6">
          <p className="max-w-prose text-muted">
            The reports for your clients have your name, logo and colour. The page Report of a site
            shows one.
          </p>
          <LogoField branding={data} />
          <BrandingForm branding={data} />
        </div>
      )}
    </Card>
  )
}

const changes = [brandingQuery.queryKey, ['site'], ['activity']]

function LogoField({ branding: { logo } }: { branding: Branding }) {
  const input = useRef<HTMLInputElement>(null)
  const upload = useAction((file: File) => changeLogo(file), { changes, done: 'The logo is saved' })
  const remove = useAction(() => deleteLogo(), { changes, done: 'The logo is removed' })
  const choose = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [file] = target.files ?? []
    if (file) upload.run(file)
    target.value = ''
  }
  return (
    <div className="flex flex-col gap-2">
      <p className="font-medium">Logo</p>
      <div className="flex flex-wrap items-center gap-3">
        {logo !== null && (
          <img src={logo} alt="Logo" className="max-h-14 max-w-48 rounded bg-white p-1.5" />
        )}
        <input
          ref={input}
          type="file"
          aria-label="Logo"
          accept={LOGO_TYPES.join(',')}
          className="sr-only"
          tabIndex={-1}
          onChange={choose}
        />
        <Button busy={upload.isBusy} onClick={() => input.current?.click()}>
          {logo === null ? 'Upload logo' : 'Replace logo'}
        </Button>
        {logo !== null && (
          <Button kind="quiet" busy={remove.isBusy} onClick={() => remove.run()}>
            Remove logo
          </Button>
        )}
      </div>
      <p className="text-xs text-muted">
        {`PNG, JPEG or WebP, at most ${MAX_LOGO_KIB} KiB, ${MIN_LOGO_PIXELS} to ${MAX_LOGO_PIXELS} pixels wide and high. Some mail programs do not show WebP.`}
      </p>
    </div>
  )
}

function BrandingForm({ branding }: { branding: Branding }) {
  const { name, color, reply_to, closing } = branding
  const [draft, setDraft] = useState({ name, color, reply_to, closing })
  const { form, refusals, reset } = useFormCall(() => changeBranding(draft), {
    fields: ['name', 'color', 'reply_to', 'closing'],
    changes,
    done: 'The branding is saved',
    onClose: () => undefined,
  })
  const change = (part: Partial<typeof draft>) => {
    reset()
    setDraft({ ...draft, ...part })
  }
  const isChanged =
    draft.name !== name ||
    draft.color !== color ||
    draft.reply_to !== reply_to ||
    draft.closing !== closing
  const submit = (event: FormEvent) => {
    event.preventDefault()
    form.onSubmit()
  }
  return (
    <form onSubmit={submit} noValidate className="flex max-w-xl flex-col gap-4">
      <TextField
        name="name"
        label="Name of the agency"
        error={refusals.name}
        maxLength={100}
        value={draft.name}
        onChange={(text) => change({ name: text })}
      />
      <TextField
        name="color"
        label="Colour"
        hint="The text on it is white or black, whichever is easier to read."
        error={refusals.color}
        type="color"
        className="h-9 max-w-24 p-1"
        value={draft.color}
        onChange={(text) => change({ color: text })}
      />
      <TextField
        name="reply_to"
        label="Reply address"
        hint="Answers of clients go there; each mailed report names it. Empty: the sender of the dashboard."
        error={refusals.reply_to}
        type="email"
        value={draft.reply_to}
        onChange={(text) => change({ reply_to: text })}
      />
      <TextAreaField
        name="closing"
        label="Text at the end"
        error={refusals.closing}
        maxLength={2000}
        value={draft.closing}
        onChange={(text) => change({ closing: text })}
      />
      <div className="overflow-hidden rounded-lg">
        <Letterhead
          branding={{ ...draft, text_color: textColorOn(draft.color), logo: branding.logo }}
        >
          <p>Website report</p>
        </Letterhead>
      </div>
      {form.error !== null && <Failure error={form.error} />}
      <div>
        <Button type="submit" kind="primary" busy={form.isBusy} disabled={!isChanged}>
          Save branding
        </Button>
      </div>
    </form>
  )
}
