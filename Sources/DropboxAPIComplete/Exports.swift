// What comes with the generated namespaces: the client, its errors and its bodies. Namespaces that both modules
// have (`Files`, `Users`, …) mean the generated ones for whoever imports this module alone.

@_exported public import DropboxAPI
