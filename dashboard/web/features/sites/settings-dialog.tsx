import type { ReactNode } from 'react'
import { configureSite, type SettingsInput } from '#dashboard/web/api/site-settings.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import type { DialogState } from '#dashboard/web/ui/dialog.tsx'
import { useDebounced } from '#dashboard/web/ui/use-debounced.ts'
import { WorkDialog } from './work-dialog.tsx'

/** What is typed is planned on the server after a pause. */
const PAUSE_MS = 600

interface SettingsDialogProps extends DialogState {
  site: Site
  title: string
  about: string
  action: string
  input: SettingsInput
  children?: ReactNode
}

export function SettingsDialog({ site, input, children, ...props }: SettingsDialogProps) {
  const text = JSON.stringify(input)
  const isPaused = useDebounced(text, PAUSE_MS) === text
  return (
    <WorkDialog {...props} site={site} work={isPaused ? configureSite(site, input) : undefined}>
      {children}
    </WorkDialog>
  )
}
