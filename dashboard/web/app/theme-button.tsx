import { Monitor, Moon, Sun } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../ui/button.tsx'
import { chooseTheme, chosenTheme, THEMES } from './theme-choice.ts'

const ICONS = { system: Monitor, light: Sun, dark: Moon }

/** Goes on to the next of system, light and dark. */
export function ThemeButton() {
  const [theme, setTheme] = useState(chosenTheme)
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system'
  const Icon = ICONS[theme]
  const change = () => {
    chooseTheme(next)
    setTheme(next)
  }
  return (
    <IconButton
      name={`Theme: ${theme}. Change to ${next}`}
      icon={<Icon aria-hidden />}
      onClick={change}
    />
  )
}
