import { Field, TextArea } from '#dashboard/web/ui/field.tsx'
import type { ExclusionsDraft } from './page-cache-draft.ts'

interface ExclusionsProps {
  draft: ExclusionsDraft
  onChange: (draft: ExclusionsDraft) => void
}

/** What stays out of the page cache. */
export function Exclusions({ draft, onChange }: ExclusionsProps) {
  return (
    <>
      <Field
        name="paths"
        label="Paths to leave out"
        hint="One in each line, such as /members. Everything below it is left out too."
      >
        <TextArea
          rows={3}
          value={draft.paths}
          onChange={({ target }) => onChange({ ...draft, paths: target.value })}
        />
      </Field>
      <Field
        name="cookies"
        label="Cookies to leave out"
        hint="One name in each line. Pages for visitors with a cookie whose name begins with one of these are not stored."
      >
        <TextArea
          rows={3}
          value={draft.cookies}
          onChange={({ target }) => onChange({ ...draft, cookies: target.value })}
        />
      </Field>
    </>
  )
}
