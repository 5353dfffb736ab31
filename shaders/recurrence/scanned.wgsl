// What the chunks of a slice come to: those before a thread's own, and all.
struct ScannedMaps {
    before: ScanMap,
    whole: ScanMap,
}
