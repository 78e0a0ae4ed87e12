import { TextAreaField } from '#dashboard/web/ui/field.tsx'
import type { ExclusionsDraft } from './page-cache-draft.ts'

interface ExclusionsProps {
  draft: ExclusionsDraft
  onChange: (draft: ExclusionsDraft) => void
}

/** What stays out of the page cache. */
export const Exclusions = ({ draft, onChange }: ExclusionsProps) => (
  <>
    <TextAreaField
      name="paths"
      label="Paths to leave out"
      hint="One in each line, such as /members. Everything below it is left out too."
      rows={3}
      value={draft.paths}
      onChange={(paths) => onChange({ ...draft, paths })}
    />
    <TextAreaField
      name="cookies"
      label="Cookies to leave out"
      hint="One name in each line. Pages for visitors with a cookie whose name begins with one of these are not stored."
      rows={3}
      value={draft.cookies}
      onChange={(cookies) => onChange({ ...draft, cookies })}
    />
  </>
)
